<?php

declare(strict_types=1);

namespace Headroom\Preload\Script;

/**
 * An installed preload script, read as text and not executed.
 *
 * @internal
 */
final readonly class InstalledScript
{
    /**
     * @param string $php version that the list was proven with
     * @param list<string> $packages files of packages, relative to the root
     * @param list<string> $application files of the application, relative to the root
     * @param list<string> $guards files that decide which file a class is loaded from
     */
    private function __construct(
        public string $path,
        public string $strategy,
        public string $mode,
        public string $php,
        private string $lock,
        private string $lockHash,
        public array $packages,
        private string $packagesHash,
        public array $application,
        private string $applicationHash,
        private array $guards,
        private string $guardsHash,
    ) {}

    /** Null for a file that does not exist or that Headroom did not write. */
    public static function at(string $path): ?self
    {
        $text = is_file($path) ? (string) @file_get_contents($path) : '';
        $known = preg_match("/^ \* Strategy ([a-z-]+), mode ([a-z]+), \d+ files, PHP (\S+)$/m", $text, $head) === 1
            && preg_match("/\\\$lock = '((?:[^'\\\\]|\\\\.)+)';/", $text, $lock) === 1
            && preg_match("/isAsProven\('([0-9a-f]+)', \[\\\$lock\]\)/", $text, $lockHash) === 1
            && preg_match("/isAsProven\('([0-9a-f]+)', \\\$guards\)/", $text, $guards) === 1
            && preg_match("/isAsProven\('([0-9a-f]+)', \\\$packages\)/", $text, $packages) === 1
            && preg_match("/isAsProven\('([0-9a-f]+)', \\\$application\)/", $text, $application) === 1;

        return $known
            ? new self(
                $path,
                $head[1],
                $head[2],
                $head[3],
                stripcslashes($lock[1]),
                $lockHash[1],
                self::listed($text, 'packages'),
                $packages[1],
                self::listed($text, 'application'),
                $application[1],
                self::listed($text, 'guards'),
                $guards[1],
            )
            : null;
    }

    /** @return list<string> relative to the root */
    public function files(): array
    {
        return [...$this->packages, ...$this->application];
    }

    /**
     * Why the script would not preload all files if PHP started now.
     *
     * @param ?string $php version of the PHP-FPM; null if it is unknown
     * @return list<string>
     */
    public function objections(string $root, ?string $php): array
    {
        return array_values(array_filter([
            $php === null || $php === $this->php
                ? null
                : "the list was proven with PHP {$this->php}, and PHP-FPM has {$php}, so nothing would be preloaded",
            $this->hash($root, [$this->lock]) === $this->lockHash
                ? null
                : "{$this->lock} has changed since the list was proven, so nothing would be preloaded",
            $this->hash($root, $this->guards) === $this->guardsHash
                ? null
                : 'composer.json, bootstrap/app.php, the front controller or the autoloaded files of Composer have'
                    .' changed since the list was proven, so nothing would be preloaded',
            $this->hash($root, $this->packages) === $this->packagesHash
                ? null
                : 'files of packages have changed since the list was proven, are missing or cannot be read, so nothing'
                    .' would be preloaded',
            $this->hash($root, $this->application) === $this->applicationHash
                ? null
                : 'files of the application have changed since the list was proven, are missing or cannot be read, so'
                    .' only packages would be preloaded',
        ], is_string(...)));
    }

    /** @param list<string> $files */
    private function hash(string $root, array $files): string
    {
        $state = hash_init(Script::ALGORITHM);

        foreach ($files as $file) {
            if (
                ! is_file("{$root}/{$file}")
                || ! is_readable("{$root}/{$file}")
                || ! @hash_update_file($state, "{$root}/{$file}")
            ) {
                return '';
            }
        }

        return hash_final($state);
    }

    /** @return list<string> */
    private static function listed(string $text, string $name): array
    {
        if (preg_match('/\$'.$name.' = \[\n(.*?)\n *\];/s', $text, $m) !== 1) {
            return [];
        }

        return array_map(
            static fn (string $line): string => stripcslashes(substr(trim($line), 1, -2)),
            explode("\n", $m[1]),
        );
    }
}
