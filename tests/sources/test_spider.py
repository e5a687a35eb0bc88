"""The queue and the spider without a network: answers come in any order, and the crawl may be killed at any time."""

from collections import deque
from types import SimpleNamespace

from hypothesis import example, given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from tests.sources.site import linked
from unweave.sources import crawl_process
from unweave.sources.crawl import Crawl, CrawlOptions
from unweave.sources.crawl_archive import ArchiveWriter, read_responses, remove_incomplete_record
from unweave.sources.frontier import Frontier
from unweave.sources.spider import LayeredQueue, SiteSpider

SITE = "http://x.org"


class Run:
    """A crawl whose answers are given by hand."""

    def __init__(self, folder, answer, **options):
        plan = Crawl((f"{SITE}/0",), CrawlOptions(**options))
        remove_incomplete_record(folder)
        self.frontier = Frontier(plan)
        self.frontier.resume(read_responses(folder, with_bodies=False))
        self.archive = ArchiveWriter(folder, max_file_bytes=10**9, user_agent="unweave/0")
        self.spider = SiteSpider(
            frontier=self.frontier, archive=self.archive, folder=folder, send=lambda **_: None
        )
        plain = Settings({**crawl_process.make_settings(plan, folder), "JOBDIR": None})
        stats = SimpleNamespace(inc_value=lambda *_: None)
        self.queue = LayeredQueue.from_crawler(
            SimpleNamespace(settings=plain, spider=self.spider, stats=stats)
        )
        self.queue.open(self.spider)
        self.asked = []
        self._answer = answer
        self.ask()

    def ask(self):
        """Ask for all that may be asked for now."""
        while request := self.queue.next_request():
            self.asked.append(request)

    def answer(self, number):
        """Let one of those that were asked for be answered."""
        request = self.asked.pop(number % len(self.asked))
        self.spider.parse(self._answer(request))
        self.ask()

    def retry(self, number):
        """Let one of those that were asked for be tried again, as Scrapy does."""
        request = self.asked.pop(number % len(self.asked))
        self.queue.enqueue_request(request.replace(dont_filter=True))
        self.ask()

    def kill(self):
        """What was asked for gets no answer any more."""
        self.archive.close()

    @property
    def is_over(self):
        return not self.asked and not self.queue.has_pending_requests()


def server(links, moved):
    """Answers with the links of a page, or where it has moved to."""

    def answer(request):
        number = int(request.url.rpartition("/")[2])
        if number in moved:
            return HtmlResponse(
                request.url, status=301, headers={"Location": f"/{moved[number]}"}, request=request
            )
        body = linked(*(f"/{other}" for other in links[number]))
        return HtmlResponse(
            request.url, headers={"Content-Type": "text/html"}, body=body.encode(), request=request
        )

    return answer


def by_hand(links, moved, limit):
    """The least number of links to each page: what a crawl must find, however it goes. A redirect costs nothing."""
    depths, waiting = {}, deque([(0, 0)])
    while waiting:
        number, depth = waiting.popleft()
        if number in depths or depth > limit:
            continue
        depths[number] = depth
        if number in moved:
            waiting.appendleft((moved[number], depth))
        else:
            waiting.extend((other, depth + 1) for other in links[number])
    return depths


def stored(folder):
    found = [
        (int(answer.url.rpartition("/")[2]), answer.depth) for answer in read_responses(folder)
    ]
    assert len(dict(found)) == len(found)
    return dict(found)


NUMBERS = st.integers(0, 7)
LINKS = st.lists(st.lists(NUMBERS, max_size=3), min_size=8, max_size=8)
MOVED = st.dictionaries(st.integers(1, 7), NUMBERS, max_size=3)
STEPS = st.lists(
    st.tuples(st.sampled_from(["answer", "answer", "answer", "retry", "kill"]), NUMBERS),
    max_size=25,
)


# A redirect shows that a page is nearer than it seemed; and a page that is answered last does.
REDIRECT = ([[1, 2], [3], [], [4], []], {2: 3}, 2, [])
SLOW = (
    [[1, 2], [3], [4], [4], [5], []],
    {},
    None,
    [("answer", 0), ("answer", 0), ("answer", 1), ("answer", 1)],
)


@settings(deadline=None)
@example(*REDIRECT)
@example(*SLOW)
@given(LINKS, MOVED, st.none() | st.integers(0, 4), STEPS)
def test_a_crawl_finds_all_pages_at_their_least_depth_whatever_happens(
    tmp_path_factory, links, moved, depth, steps
):
    folder = tmp_path_factory.mktemp("crawl")
    run = Run(folder, server(links, moved), max_depth=depth)
    for what, number in steps:
        if run.is_over:
            break
        if what == "kill":
            run.kill()
            run = Run(folder, server(links, moved), max_depth=depth)
        else:
            getattr(run, what)(number)
    while not run.is_over:
        run.answer(0)
    run.kill()
    assert stored(folder) == by_hand(links, moved, 99 if depth is None else depth)


@settings(deadline=None)
@given(LINKS, MOVED, st.integers(1, 6), st.lists(NUMBERS, max_size=20))
def test_there_are_never_more_pages_than_wanted_nor_fewer_than_there_are(
    tmp_path_factory, links, moved, pages, order
):
    folder = tmp_path_factory.mktemp("crawl")
    run = Run(folder, server(links, moved), max_pages=pages)
    for number in [*order, *[0] * 20]:
        if not run.is_over:
            run.answer(number)
    run.kill()
    there = [number for number in by_hand(links, moved, 99) if number not in moved]
    assert sum(answer.is_page for answer in read_responses(folder)) == min(pages, len(there))


def test_a_layer_waits_for_the_last(tmp_path):
    """The second page is slow. Until it is answered, nothing is asked for that is further away."""
    links = [[1, 2], [3], [4, 5], [4], [], []]
    run = Run(tmp_path, server(links, {}))
    run.answer(0)
    assert [request.url for request in run.asked] == [f"{SITE}/1", f"{SITE}/2"]
    run.answer(0)
    assert [request.url for request in run.asked] == [f"{SITE}/2"]
    run.answer(0)
    assert [request.url for request in run.asked] == [f"{SITE}/{number}" for number in (3, 4, 5)]
    run.kill()


def test_a_stopped_crawl_asks_for_nothing_more(tmp_path):
    run = Run(tmp_path, server([[1, 2], [3], [], []], {}))
    run.answer(0)
    run.frontier.is_stopped = True
    run.answer(0)
    run.answer(0)
    assert run.is_over
    run.kill()
    assert set(stored(tmp_path)) == {0, 1, 2}
