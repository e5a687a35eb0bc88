// Light or dark: as the system says, until somebody chooses.

const KEPT = "unweave-theme";
const root = document.documentElement;
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemIsDark.matches);

export function startTheme(toggle) {
  const kept = localStorage.getItem(KEPT);
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  const tell = () => toggle.setAttribute("aria-pressed", String(isDark()));
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    localStorage.setItem(KEPT, root.dataset.theme);
    tell();
  });
  systemIsDark.addEventListener("change", tell);
  tell();
}
