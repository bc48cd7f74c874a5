<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

/**
 * A directory with vendor/autoload.php in it that a PHP-FPM serves: an application, or one of its releases.
 *
 * @internal
 */
final readonly class ServedRoot
{
    /**
     * @param ?string $real where links lead to; null where that is not seen
     * @param ?string $vendor where its packages are: of two directories that have the same ones one is a
     *     link's idea of the other
     * @param ?string $state what its link to storage, or to .env, leads to: releases of one application share it
     * @param string $source who says that it is served
     * @param bool $hasEntry whether its own index.php was run
     */
    public function __construct(
        public string $path,
        public ?string $real,
        private ?string $vendor,
        private ?string $state,
        public string $source,
        public bool $hasEntry = true,
    ) {}

    /** As this process sees it. */
    public static function here(string $path): self
    {
        $links = array_filter(["{$path}/storage", "{$path}/.env"], is_link(...));
        $real = realpath($path);
        $state = $links === [] ? false : realpath(reset($links));
        $vendor = realpath("{$path}/vendor");

        return new self(
            $path,
            $real === false ? null : $real,
            $vendor === false ? null : $vendor,
            $state === false ? null : $state,
            'this machine',
        );
    }

    /**
     * The same directory, or another release: those of one application are below one `releases`,
     * or share what a deploy leaves alone.
     */
    public function isOfSameApplicationAs(self $other): bool
    {
        $mine = $this->real ?? $this->path;
        $its = $other->real ?? $other->path;

        return $mine === $its || $this->path === $other->path
            || ($this->vendor !== null && $this->vendor === $other->vendor)
            || ($this->state !== null && $this->state === $other->state)
            || (dirname($mine) === dirname($its) && basename(dirname($mine)) === 'releases');
    }

    public function isBelow(self $other): bool
    {
        return str_starts_with($this->real ?? $this->path, rtrim($other->real ?? $other->path, '/').'/');
    }
}
