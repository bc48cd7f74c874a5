<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

use Headroom\Tests\Architecture\Files;
use Illuminate\Filesystem\Filesystem;

/**
 * A copy of src/ that records its calls, in build/counts; it is made again when a file of src/ has changed.
 */
final readonly class InstrumentedCopy
{
    private const DIRECTORY = 'build/counts';

    /** Processes may still read the copy of a moment ago. */
    private const KEPT_SECONDS = 600;

    /** Files of the package that src/ reads by their place. */
    private const OTHERS = ['bin', 'config', 'database', 'resources', 'lang', 'composer.json'];

    private function __construct(public string $directory) {}

    public static function ofSource(): self
    {
        $paths = Files::in('src');
        $code = array_combine($paths, array_map(Files::read(...), $paths));
        $hash = hash('xxh128', Instrumentation::class.Instrumentation::of('<?php function a() {}').serialize($code));
        $base = Files::root().'/'.self::DIRECTORY;
        $directory = "{$base}/{$hash}";

        if (! is_dir($directory)) {
            self::make($code, "{$directory}.".getmypid());
            // Another process may have been faster.
            @rename("{$directory}.".getmypid(), $directory);
            self::clean($base, $hash);
        }

        return new self($directory);
    }

    /** @param array<string, string> $code by path */
    private static function make(array $code, string $directory): void
    {
        foreach ($code as $path => $text) {
            (new Filesystem)->ensureDirectoryExists(dirname("{$directory}/{$path}"));
            $text = str_ends_with($path, '.php') ? Instrumentation::of($text) : $text;
            file_put_contents("{$directory}/{$path}", $text);
        }

        foreach (self::OTHERS as $name) {
            if (file_exists(Files::root().'/'.$name)) {
                symlink(Files::root().'/'.$name, "{$directory}/{$name}");
            }
        }
    }

    private static function clean(string $base, string $hash): void
    {
        foreach ((array) glob("{$base}/*", GLOB_ONLYDIR) as $copy) {
            $copy = (string) $copy;

            if (basename($copy) !== $hash && (int) @filemtime($copy) < time() - self::KEPT_SECONDS) {
                (new Filesystem)->deleteDirectory($copy);
            }
        }
    }
}
