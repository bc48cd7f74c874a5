<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload;

use Headroom\Bench\Preload\Ground;
use Headroom\Bench\Preload\Pool;
use Headroom\Bench\Preload\Variant;
use Headroom\Core\SystemClock;
use Headroom\Host\TemporaryDirectory;
use Headroom\Preload\Page;
use PhpToken;
use RuntimeException;

/**
 * The scripts of the variants. What requests used is asked of a pool of its own that answers each page.
 */
final readonly class Lists
{
    /** Notes at the end of each request what the pool has by then. */
    private const NOTES = <<<'PHP'
        <?php
        (static function (): void {
            $classes = [];

            foreach ([...get_declared_classes(), ...get_declared_interfaces(), ...get_declared_traits()] as $class) {
                $file = (new ReflectionClass($class))->getFileName();
                $file === false || $classes[$class] = $file;
            }

            file_put_contents(__DIR__.'/'.uniqid('', true).'.json', json_encode(['classes' => $classes, 'scripts' => array_map(static fn (array $script): int => $script['hits'], opcache_get_status()['scripts'])]));
        })();
        PHP;

    /** More than the pages themselves need, so that the hits have an order. */
    private const TIMES = 3;

    /**
     * @param string $vendor absolute path of the application's vendor directory
     * @param list<string> $hot files of the classes that requests used
     * @param array<string, int> $cached hits of the scripts that opcache had after them
     */
    private function __construct(private string $vendor, private array $hot, private array $cached) {}

    /** @param list<Page> $pages */
    public static function observe(Variant $variant, Ground $ground, array $pages): self
    {
        $directory = TemporaryDirectory::create('preload-notes', $ground->account);
        $notes = $directory->write('notes.php', self::NOTES);
        chmod($notes, 0o644);
        $pool = Pool::start(new Variant('observed', $variant->front, $variant->root, env: $variant->env, ini: [...$variant->ini, 'auto_append_file' => $notes]), $ground, new SystemClock);

        try {
            for ($i = 0; $i < self::TIMES; $i++) {
                array_map($pool->ask(...), $pages);
            }

            $taken = array_map(static fn (string $file): array => json_decode((string) file_get_contents($file), true, flags: JSON_THROW_ON_ERROR), glob($directory->file('*.json')) ?: throw new RuntimeException('No page came to its end.'));
        } finally {
            $pool->stop();
            $directory->remove();
        }

        $last = $taken[count($taken) - 1]['scripts'];
        unset($last[$notes]);

        return new self(dirname($variant->root).'/vendor', array_values(array_unique(array_merge(...array_map(static fn (array $one): array => array_values($one['classes']), $taken)))), $last);
    }

    /** @return array<string, string> PHP by strategy; 'article' is what its tool would write */
    public function scripts(): array
    {
        $laravel = "{$this->vendor}/laravel/framework/src/";
        $framework = self::files($laravel);
        $packages = array_unique(array_map(static fn (string $file): string => implode('/', array_slice(explode('/', $file), 0, substr_count($laravel, '/') - 2)), array_filter($this->hot, fn (string $file): bool => str_starts_with($file, $this->vendor))));
        $components = array_unique(array_map(dirname(...), array_filter($this->hot, static fn (string $file): bool => str_starts_with($file, $laravel))));
        $refined = array_filter($framework, static fn (string $file): bool => in_array(dirname($file), $components, true));
        $vendors = [...$refined, ...array_merge(...array_map(self::files(...), array_diff($packages, [$this->vendor.'/laravel/framework'])))];
        $cached = $this->cached;
        arsort($cached);

        return [
            'laravel' => self::script(array_filter($framework, self::isPure(...))),
            'refined' => self::script(array_filter($refined, self::isPure(...))),
            'vendors' => self::script(array_filter($vendors, self::isPure(...))),
            'hot' => self::script(array_filter($this->hot, fn (string $file): bool => str_starts_with($file, $this->vendor) && self::isPure($file))),
            'hot-laravel' => self::script(array_filter($this->hot, static fn (string $file): bool => str_starts_with($file, $laravel) && self::isPure($file))),
            'article' => self::script(array_keys($cached)),
        ];
    }

    /** @param array<string> $files */
    private static function script(array $files): string
    {
        $lines = array_map(static fn (string $file): string => '    '.var_export($file, true).",\n", array_values($files));

        return "<?php\n\nforeach ([\n".implode('', $lines)."] as \$file) {\n    is_file(\$file) && opcache_compile_file(\$file);\n}\n";
    }

    /** @return list<string> */
    private static function files(string $folder): array
    {
        $files = [];

        foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator($folder, \FilesystemIterator::SKIP_DOTS)) as $file) {
            $file->getExtension() === 'php' && $files[] = $file->getPathname();
        }

        sort($files);

        return $files;
    }

    /** Whether nothing of it runs when it is included. */
    private static function isPure(string $file): bool
    {
        $depth = 0;
        $last = null;
        $declares = false;

        foreach (PhpToken::tokenize((string) file_get_contents($file)) as $token) {
            if ($token->isIgnorable()) {
                continue;
            }

            if ($depth === 0 && $last === null && ! $token->is([T_NAMESPACE, T_USE, T_DECLARE, T_ABSTRACT, T_FINAL, T_READONLY, T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM, T_ATTRIBUTE, ';', '}'])) {
                return false;
            }

            $declares = $declares || $token->is([T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]);
            $depth += $token->is(['{', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES]) ? 1 : ($token->is('}') ? -1 : 0);
            $last = $depth === 0 && $token->is([';', '}']) ? null : $token;
        }

        return $declares;
    }
}
