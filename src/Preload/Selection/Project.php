<?php

declare(strict_types=1);

namespace Headroom\Preload\Selection;

use Headroom\Preload\UnableToPreload;

/**
 * An application as Composer sees it: the files of its classes, and its packages. Paths are relative to the root, so
 * that a list does not depend on where the application is installed.
 *
 * @internal
 */
final readonly class Project
{
    /**
     * @param string $root absolute, without symbolic links
     * @param string $vendor directory of packages, relative
     * @param string $vendorTarget the same without symbolic links, absolute
     * @param array<string, string> $classMap absolute files by class
     * @param array<string, list<string>> $psr4 absolute directories by prefix, the longest first
     * @param array<string, list<string>> $psr0
     * @param list<Package> $packages the longest directory first
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
        $vendor = is_string($config['vendor-dir'] ?? null) ? self::normalize($config['vendor-dir']) : 'vendor';
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

    /** The list of installed packages, relative. It changes with each update of a package, and only then. */
    public function lockFile(): string
    {
        return "{$this->vendor}/composer/installed.json";
    }

    /**
     * Files that decide which file a class is loaded from, or that load classes early. If one changes, the list may be
     * wrong.
     *
     * @param string $front controller, relative
     * @return list<string> existing files, relative
     */
    public function guards(string $front): array
    {
        return array_values(array_filter(
            ['composer.json', "{$this->vendor}/composer/autoload_files.php", 'bootstrap/app.php', $front],
            fn (string $file): bool => is_file($this->absolute($file)),
        ));
    }

    /**
     * The file from which Composer's autoloader loads the class; null if Composer finds no file
     * below the root.
     */
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

    /** A package may be a link to another directory, and its files may be named by either path. */
    public function relative(string $file): ?string
    {
        $file = '/'.self::normalize($file);

        foreach ([$this->vendorTarget => "{$this->vendor}/", $this->root => ''] as $folder => $prefix) {
            if (str_starts_with($file, "{$folder}/")) {
                return $prefix.substr($file, strlen($folder) + 1);
            }
        }

        return null;
    }

    /** Without . segments, .. segments (except leading ones), and slashes at either end. */
    private static function normalize(string $path): string
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

    /** @return array<string, mixed> the array that a file of Composer returns */
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
            // A metapackage has no directory.
            if (
                is_array($package)
                && is_string($package['name'] ?? null)
                && is_string($package['install-path'] ?? null)
            ) {
                $packages[] = new Package(
                    $package['name'],
                    self::normalize("{$vendor}/composer/{$package['install-path']}"),
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
