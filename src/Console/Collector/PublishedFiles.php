<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\Sapi\CompiledIngest;
use Headroom\Collector\Sapi\UnableToPublish;
use Headroom\Support\AtomicFile;
use Headroom\Support\EffectiveUser;
use Headroom\Support\FileOperation;
use Headroom\Support\TerminalText;

/**
 * The two files of the collector under PHP-FPM: the front controller, which the web server calls and which can be
 * committed, and the configuration compiled for one installation. A file is replaced as a whole, and only if this
 * package wrote it.
 *
 * @internal
 */
final readonly class PublishedFiles
{
    public const FRONT = 'public/ingest.php';

    /**
     * Comments by which the package recognises its files. Versions before the front controller wrote the second one.
     */
    private const MARKS = ['// headroom:ingest ', '// headroom:lane '];

    /**
     * @param string $base directory of the application
     * @param string $compiled path of the compiled file
     * @param string $command the command that writes both files
     */
    public function __construct(public string $base, public string $compiled, public string $command) {}

    /** @param string $path of the front controller, relative to the application's directory */
    public function front(string $path): string
    {
        return str_starts_with($path, '/') ? $path : "{$this->base}/{$path}";
    }

    /**
     * @return bool whether the file was written
     *
     * @throws UnableToPublish
     */
    public function publish(string $front): bool
    {
        if (! str_ends_with($front, '.php')) {
            throw UnableToPublish::noScript($front);
        }

        return $this->replace($front, $this->frontText($front));
    }

    /**
     * @return bool whether the file was written
     *
     * @throws UnableToPublish
     */
    public function compile(CompiledIngest $compilation): bool
    {
        return $this->replace($this->compiled, $this->compiledText($compilation));
    }

    /** @throws UnableToPublish */
    public function clear(): bool
    {
        if (! is_file($this->compiled)) {
            return false;
        }

        $this->mustBeOurs($this->compiled);
        $reason = '';

        return FileOperation::run(
            fn (): bool => EffectiveUser::in(dirname($this->compiled))->during(fn (): bool => unlink($this->compiled)),
            $reason,
        )
            || throw UnableToPublish::notWritten($this->compiled, $reason);
    }

    /** Whether the application has a front controller or a compiled file. */
    public function isUsed(): bool
    {
        return is_file($this->compiled) || $this->published() !== [];
    }

    /** @return list<string> front controllers of this package in the document root */
    public function published(): array
    {
        $scripts = glob("{$this->base}/public/*.php");

        return array_values(array_filter($scripts === false ? [] : $scripts, self::isOurs(...)));
    }

    /** @return list<string> messages about files that are missing or would be written differently now */
    public function differences(string $front, CompiledIngest $compilation): array
    {
        $found = [];

        foreach ([
            $front => $this->frontText($front),
            $this->compiled => $this->compiledText($compilation),
        ] as $path => $text) {
            $seen = @file_get_contents($path);

            if ($seen !== $text) {
                $found[] = $path
                    .($seen === false
                        ? ' does not exist, or cannot be read.'
                        : (self::isOurs($path)
                            ? ' was written by another version of this package, or from another configuration.'
                            : ' was not written by this package.'));
            }
        }

        return $found;
    }

    private function frontText(string $front): string
    {
        $text = (string) file_get_contents(dirname(__DIR__, 3).'/resources/sapi/ingest.php');

        // The command contains a path of the application, and the template has it in a comment and in quotes.
        $command = str_replace('?>', '? >', addcslashes(TerminalText::line($this->commandFor($front)), "'\\"));

        return strtr($text, [
            "'COMPILED'" => self::expression(dirname($front), $this->compiled),
            'COMMAND' => $command,
            '0 /* VERSION */' => (string) CompiledIngest::VERSION,
        ]);
    }

    public function commandFor(string $front): string
    {
        $path = str_starts_with($front, "{$this->base}/") ? substr($front, strlen($this->base) + 1) : $front;

        return $path === self::FRONT ? $this->command : "{$this->command} {$path}";
    }

    private function compiledText(CompiledIngest $compilation): string
    {
        $source = dirname(__DIR__, 2);
        $from = dirname($this->compiled);
        $candidates = [
            dirname($source, 3).'/autoload.php',
            dirname($source).'/vendor/autoload.php',
            "{$this->base}/vendor/autoload.php",
        ];
        $vendor = array_values(array_filter($candidates, is_file(...)))[0] ?? $candidates[0];

        return $compilation->text(self::expression($from, $source), self::expression($from, $vendor));
    }

    /** Relative to the file's own directory, so that a release can be moved or copied as a whole. */
    private static function expression(string $from, string $to): string
    {
        $real = realpath($from);
        [$a, $b] = [explode('/', $real === false ? $from : $real), explode('/', self::real($to))];

        while ($a !== [] && $b !== [] && $a[0] === $b[0]) {
            array_shift($a);
            array_shift($b);
        }

        return '__DIR__.'.var_export('/'.str_repeat('../', count($a)).implode('/', $b), true);
    }

    private static function real(string $path): string
    {
        $real = realpath(dirname($path));

        return $real === false ? $path : "{$real}/".basename($path);
    }

    /** @throws UnableToPublish */
    private function replace(string $path, string $text): bool
    {
        if (is_file($path)) {
            $this->mustBeOurs($path);

            if (@file_get_contents($path) === $text) {
                return false;
            }
        }

        $reason = '';
        $mode = is_file($path) ? (int) fileperms($path) & 0777 : 0666 & ~umask();
        $write = static fn (): bool => (is_dir(dirname($path)) || mkdir(dirname($path), 0777, true))
            && AtomicFile::replace($path, $text, $mode);

        if (! FileOperation::run(static fn (): bool => EffectiveUser::below(dirname($path))->during($write), $reason)) {
            throw UnableToPublish::notWritten($path, $reason);
        }

        return true;
    }

    /** @throws UnableToPublish */
    private function mustBeOurs(string $path): void
    {
        self::isOurs($path) || throw UnableToPublish::notOurs($path);
    }

    private static function isOurs(string $path): bool
    {
        $start = (string) @file_get_contents($path, length: 200);

        foreach (self::MARKS as $mark) {
            if (str_contains($start, $mark)) {
                return true;
            }
        }

        return false;
    }
}
