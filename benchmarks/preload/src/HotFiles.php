<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload;

use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Bench\Preload\VariantPool;
use Headroom\Core\SystemClock;
use Headroom\Preload\Page;
use RuntimeException;

/**
 * The list that Laraload makes (with DarkGhostHunter's Preloader): the files of the project that opcache has after
 * some requests, the most used first, until 32 MB are full; each is compiled, and none is filtered.
 */
final readonly class HotFiles
{
    private const BYTES = 33_554_432;

    private const REQUESTS = 500;

    private const SCRIPTS = '<?php echo json_encode(array_map(static fn (array $script): array => [$script["hits"],'
        .' $script["last_used_timestamp"], $script["memory_consumption"]], opcache_get_status()["scripts"]));';

    /** @param list<Page> $pages */
    public static function script(PreloadVariant $variant, array $pages): string
    {
        $pool = VariantPool::start($variant, new SystemClock);

        try {
            for ($i = 0; $i < self::REQUESTS; $i++) {
                $pool->ask($pages[$i % count($pages)]);
            }

            $scripts = json_decode($pool->run(self::SCRIPTS), true, flags: JSON_THROW_ON_ERROR);
        } finally {
            $pool->stop();
        }

        $scripts = array_filter(
            $scripts,
            static fn (string $file): bool => str_starts_with($file, "{$variant->site->root}/"),
            ARRAY_FILTER_USE_KEY,
        );
        uasort($scripts, static fn (array $a, array $b): int => $b <=> $a);

        return self::compiled(
            $scripts === [] ? throw new RuntimeException('opcache has none of the application\'s files.') : $scripts,
        );
    }

    /** @param array<string, array{int, int, int}> $scripts hits, last use and bytes by file */
    private static function compiled(array $scripts): string
    {
        $left = self::BYTES;
        $lines = '';

        foreach ($scripts as $file => [, , $bytes]) {
            if (($left -= $bytes) < 0) {
                break;
            }

            $lines .= '    '.var_export($file, true).",\n";
        }

        return "<?php\n\nforeach ([\n{$lines}] as \$file) {\n    is_file(\$file) && opcache_compile_file(\$file);\n}\n";
    }
}
