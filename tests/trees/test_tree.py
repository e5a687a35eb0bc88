import pytest
from hypothesis import given

from tests.oracles import notations
from unweave.errors import TreeSyntaxError
from unweave.trees.tree import Alphabet, SubtreeClasses, Tree, is_preorder


def test_a_tree_is_parsed():
    tree = Tree.parse("a(b c(d))")
    assert tree.labels == ["a", "b", "c", "d"]
    assert tree.parents == [-1, 0, 0, 2]
    assert tree.ends == [4, 2, 4, 4]
    assert tree.heights == [3, 1, 2, 1]
    assert tree.children(0) == [1, 2]
    assert list(tree.ancestors(3)) == [3, 2, 0]


def test_commas_separate_siblings_too():
    assert str(Tree.parse("a(b(d,e),c(f))")) == "a(b(d e) c(f))"


@given(notations)
def test_a_formatted_tree_is_parsed_again(notation):
    assert str(Tree.parse(notation)) == notation
    assert eval(repr(Tree.parse(notation)), {"Tree": Tree}).labels == Tree.parse(notation).labels


@pytest.mark.parametrize("broken", ["", "  ", "a(b", "a)", "(a)", "a b", "a(b) c"])
def test_broken_notation_is_refused(broken):
    with pytest.raises(TreeSyntaxError):
        Tree.parse(broken)


def test_every_subtree_is_a_slice_of_the_tag_string():
    tree = Tree.parse("table(tr(td td) tr(td td))")
    first, second = tree.children(0)
    assert tree.tag_string[first : tree.ends[first]] == tree.tag_string[second : tree.ends[second]]
    assert len(set(tree.tag_string)) == 3


def test_trees_that_share_an_alphabet_have_comparable_tag_strings():
    alphabet = Alphabet()
    assert (
        Tree.parse("x(a b)", alphabet=alphabet).tag_string[1:]
        == Tree.parse("a(b)", alphabet=alphabet).tag_string
    )


def test_an_alphabet_of_many_labels_has_no_surrogates():
    alphabet = Alphabet()
    "".join(alphabet[str(number)] for number in range(70_000)).encode()
    assert len(set(alphabet.values())) == 70_000


def test_equal_label_paths_have_equal_numbers():
    tree = Tree.parse("ul(li(a) li(a b) p(a))")
    assert tree.path_ids[2] == tree.path_ids[4] != tree.path_ids[7]
    assert tree.path_ids[1] == tree.path_ids[3]


@given(notations)
def test_nodes_share_a_class_if_and_only_if_their_subtrees_are_identical(notation):
    tree, table = Tree.parse(notation), SubtreeClasses()
    classes = table.classify(tree)
    written = [str(_subtree(tree, node)) for node in range(len(tree))]
    for x in range(len(tree)):
        assert table.sizes[classes[x]] == tree.ends[x] - x
        for y in range(x):
            assert (classes[x] == classes[y]) == (written[x] == written[y])


def test_a_table_of_classes_may_be_shared_by_trees():
    table = SubtreeClasses()
    assert table.classify(Tree.parse("x(a(b))"))[1] == table.classify(Tree.parse("a(b)"))[0]


@given(notations)
def test_trees_are_in_preorder(notation):
    assert is_preorder(Tree.parse(notation).parents)


@pytest.mark.parametrize("parents", [[], [0], [-1, -1], [-1, 5], [-1, 0, 0, 1], [-1, 1]])
def test_other_parents_are_no_preorder(parents):
    assert not is_preorder(parents)


def test_depth_is_no_limit():
    tree = Tree(["a"] * 100_000, list(range(-1, 99_999)))
    assert tree.heights[0] == 100_000
    assert len(set(SubtreeClasses().classify(tree))) == 100_000
    assert str(tree).endswith("a" + ")" * 99_999)


def _subtree(tree, root):
    labels = tree.labels[root : tree.ends[root]]
    parents = [parent - root for parent in tree.parents[root : tree.ends[root]]]
    return Tree(labels, [-1, *parents[1:]])
