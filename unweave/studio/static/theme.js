// Light or dark: as the system, until the user chooses.

const STORAGE_KEY = "unweave-theme";
const root = document.documentElement;
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemIsDark.matches);

export function startTheme(toggle) {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (stored === "dark" || stored === "light") root.dataset.theme = stored;
  const updateToggle = () => toggle.setAttribute("aria-pressed", String(isDark()));
  toggle.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    localStorage.setItem(STORAGE_KEY, root.dataset.theme);
    updateToggle();
  });
  systemIsDark.addEventListener("change", updateToggle);
  updateToggle();
}
