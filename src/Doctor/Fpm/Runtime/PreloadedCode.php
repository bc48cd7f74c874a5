<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\Fpm\Status\JsonFields;

/**
 * What opcache.preload brought into the memory that all pools of a PHP-FPM share. That a setting names a script tells
 * nothing: one of a pool is ignored, and ini_get() shows it all the same.
 *
 * @internal
 */
final readonly class PreloadedCode
{
    /**
     * @param list<string> $files with the script itself
     * @param int $symbols classes and functions; 0 of a script that came to nothing
     * @param ?int $changed files that are gone or younger than that; null where they could not be looked at
     * @param ?string $firstChanged one of them
     * @param ?string $script what opcache.preload leads to now; null where that is not seen
     * @param list<string> $release a file that was preloaded and where a deploy's link leads to now, when that is
     *     another release; else empty
     * @param bool $isScriptGone it leads nowhere: PHP-FPM does not start any more
     */
    private function __construct(
        public array $files,
        public int $symbols,
        public ?int $changed,
        public ?string $firstChanged,
        private ?string $script,
        public bool $isScriptGone,
        private array $release,
    ) {}

    /**
     * @param JsonFields $statistics opcache_get_status()['preload_statistics']
     * @param JsonFields $looked what the probe saw of the files
     */
    public static function fromFields(JsonFields $statistics, JsonFields $looked): self
    {
        return new self(
            $statistics->texts('scripts'),
            count($statistics->texts('classes')) + count($statistics->texts('functions')),
            $looked->count('changed'),
            $looked->text('first'),
            $looked->text('script'),
            $looked->truth('script') === false,
            $looked->texts('release'),
        );
    }

    /** @return ?array{string, string} the preloaded file, and the file in its place since a link was switched */
    public function switched(): ?array
    {
        $release = count($this->release) === 2 ? [$this->release[0], $this->release[1]] : null;

        if ($this->script === null || in_array($this->script, $this->files, true)) {
            return $release;
        }

        $name = basename($this->script);

        foreach ($this->files as $file) {
            if (basename($file) === $name) {
                return [$file, $this->script];
            }
        }

        return $release;
    }

    /** @param string $name as Composer has it */
    public function hasPackage(string $name): bool
    {
        return array_filter($this->files, static fn (string $file): bool => str_contains($file, "/vendor/{$name}/"))
            !== [];
    }
}
