<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Fpm\Status\JsonFields;

/**
 * The preloaded code, which all pools of a PHP-FPM share. The setting alone proves nothing: in a pool it is ignored,
 * and ini_get() shows it all the same.
 *
 * @internal
 */
final readonly class PreloadedCode
{
    /**
     * @param list<string> $files including the script itself
     * @param int $symbols classes and functions; 0 if the script preloaded nothing
     * @param ?int $changed missing or changed files; null if they could not be inspected
     * @param ?string $firstChanged one of them
     * @param ?string $script the present target of opcache.preload; null if unknown
     * @param list<string> $release a preloaded file and the present target of the deployment's link, if it is another
     *     release; otherwise empty
     * @param bool $isScriptGone whether it is missing: PHP-FPM cannot start again
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
     * @param JsonFields $looked the state of the files, from the probe
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

    /**
     * @param string $source the pool that reports it
     * @return list<?Evidence>
     */
    public function evidence(string $source): array
    {
        return array_map(
            static fn (string $what, ?string $value): ?Evidence
                => $value === null ? null : new Evidence($what, $value, $source),
            ['changed or missing', 'such as', 'now leads to'],
            [
                $this->changed === null ? null : (string) $this->changed,
                $this->firstChanged,
                $this->switched()[1] ?? null,
            ],
        );
    }

    /** @param string $name of the Composer package */
    public function hasPackage(string $name): bool
    {
        return array_filter($this->files, static fn (string $file): bool => str_contains($file, "/vendor/{$name}/"))
            !== [];
    }
}
