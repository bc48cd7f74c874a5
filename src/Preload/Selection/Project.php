<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\UnableToPreload;

/**
 * An application as Composer knows it: where its classes are and whose they are. Paths are relative to its root, so
 * that a list is the same wherever the application lies.
 *
 * @internal
 */
final readonly class Project
{
    /**
     * @param string $root absolute, without symbolic links
     * @param string $vendor where packages are, relative
     * @param string $vendorTarget the same without symbolic links, absolute
     * @param array<string, string> $classMap absolute files by class
     * @param array<string, list<string>> $psr4 absolute folders by the beginning of names, the longest first
     * @param array<string, list<string>> $psr0
     * @param list<Package> $packages the longest folder first
     */
    private function __construct(
        public string $root,
        public string $vendor,
        private string $vendorTarget,
        private array $classMap,
        private array $psr4,
        private array $psr0,
        public array $packages,
        public bool $isAuthoritative,
        public bool $hasDevPackages,
    ) {}

    /** @throws UnableToPreload */
    public static function at(string $root): self
    {
        $real = realpath($root);
        $manifest = json_decode((string) @file_get_contents("{$root}/composer.json"), true);
        $config = is_array($manifest) && is_array($manifest['config'] ?? null) ? $manifest['config'] : [];
        $vendor = is_string($config['vendor-dir'] ?? null) ? self::plain($config['vendor-dir']) : 'vendor';
        $target = realpath("{$root}/{$vendor}");
        $installed = json_decode((string) @file_get_contents("{$root}/{$vendor}/composer/installed.json"), true);

        if ($real === false || $target === false || ! is_array($installed)) {
            throw UnableToPreload::notInstalled("{$root}/{$vendor}/composer/installed.json");
        }

        $composer = "{$real}/{$vendor}/composer";

        return new self(
            $real,
            $vendor,
            $target,
            array_filter(self::table("{$composer}/autoload_classmap.php"), is_string(...)),
            self::folders("{$composer}/autoload_psr4.php"),
            self::folders("{$composer}/autoload_namespaces.php"),
            self::packages($installed, $vendor),
            str_contains(
                (string) @file_get_contents("{$composer}/autoload_real.php"),
                'setClassMapAuthoritative(true)',
            ),
            ($installed['dev'] ?? false) === true,
        );
    }

    public function absolute(string $file): string
    {
        return "{$this->root}/{$file}";
    }

    /** The lock of what is installed, relative: it changes with each update of a package and with nothing else. */
    public function lockFile(): string
    {
        return "{$this->vendor}/composer/installed.json";
    }

    /**
     * What makes another class of a name, or declares one before it is asked for, when it changes.
     *
     * @param string $front controller, relative
     * @return list<string> relative, of those that are there
     */
    public function guards(string $front): array
    {
        return array_values(array_filter(
            ['composer.json', "{$this->vendor}/composer/autoload_files.php", 'bootstrap/app.php', $front],
            fn (string $file): bool => is_file($this->absolute($file)),
        ));
    }

    /** Where Composer's loader would find a class, null when it would not, or outside of the root. */
    public function fileOf(string $class): ?string
    {
        $file = $this->classMap[$class] ?? null;

        if ($file === null && ! $this->isAuthoritative) {
            $file = self::search($class, $this->psr4, strtr($class, '\\', '/'), true)
                ?? self::search($class, $this->psr0, self::psr0Path($class), false);
        }

        return $file === null ? null : $this->relative($file);
    }

    public function packageOf(string $file): ?Package
    {
        foreach ($this->packages as $package) {
            if ($package->has($file)) {
                return $package;
            }
        }

        return null;
    }

    public function package(string $name): ?Package
    {
        foreach ($this->packages as $package) {
            if ($package->name === $name) {
                return $package;
            }
        }

        return null;
    }

    public function isOfApplication(string $file): bool
    {
        return ! str_starts_with($file, "{$this->vendor}/");
    }

    /** A linked package lies elsewhere, and is reached by way of its link as well. */
    public function relative(string $file): ?string
    {
        $file = '/'.self::plain($file);

        foreach ([$this->vendorTarget => "{$this->vendor}/", $this->root => ''] as $folder => $prefix) {
            if (str_starts_with($file, "{$folder}/")) {
                return $prefix.substr($file, strlen($folder) + 1);
            }
        }

        return null;
    }

    /** Without slashes around it, without . and, but for those that lead out of where it begins, without .. */
    private static function plain(string $path): string
    {
        $parts = [];

        foreach (explode('/', $path) as $part) {
            match (true) {
                $part === '' || $part === '.' => null,
                $part === '..' && $parts !== [] && end($parts) !== '..' => array_pop($parts),
                default => $parts[] = $part,
            };
        }

        return implode('/', $parts);
    }

    /** @param array<string, list<string>> $folders */
    private static function search(string $class, array $folders, string $path, bool $cutsPrefix): ?string
    {
        foreach ($folders as $prefix => $candidates) {
            if (! str_starts_with($class, $prefix)) {
                continue;
            }

            foreach ($candidates as $folder) {
                $file = $folder.'/'.($cutsPrefix ? substr($path, strlen($prefix)) : $path).'.php';

                if (is_file($file)) {
                    return $file;
                }
            }
        }

        return null;
    }

    private static function psr0Path(string $class): string
    {
        $end = (int) strrpos("\\{$class}", '\\');

        return strtr(substr($class, 0, $end), '\\', '/').strtr(substr($class, $end), '_', '/');
    }

    /** @return array<string, mixed> what a file of Composer's returns: it holds literals and its own folder */
    private static function table(string $file): array
    {
        $table = is_file($file) ? (static fn (): mixed => require $file)() : [];
        $named = [];

        foreach (is_array($table) ? $table : [] as $name => $value) {
            $named[(string) $name] = $value;
        }

        return $named;
    }

    /** @return array<string, list<string>> */
    private static function folders(string $file): array
    {
        $all = array_map(
            static fn (mixed $folders): array => array_values(array_filter((array) $folders, is_string(...))),
            self::table($file),
        );
        krsort($all, SORT_STRING);

        return $all;
    }

    /**
     * @param array<array-key, mixed> $installed
     * @return list<Package>
     */
    private static function packages(array $installed, string $vendor): array
    {
        $dev = (array) ($installed['dev-package-names'] ?? []);
        $packages = [];

        foreach ((array) ($installed['packages'] ?? []) as $package) {
            // A metapackage has no folder.
            if (
                is_array($package)
                && is_string($package['name'] ?? null)
                && is_string($package['install-path'] ?? null)
            ) {
                $packages[] = new Package(
                    $package['name'],
                    self::plain("{$vendor}/composer/{$package['install-path']}"),
                    in_array($package['name'], $dev, true),
                );
            }
        }

        usort(
            $packages,
            static fn (Package $a, Package $b): int => [strlen($b->folder), $a->folder]
                <=> [strlen($a->folder), $b->folder],
        );

        return $packages;
    }
}
