<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

/**
 * A served directory with vendor/autoload.php: an application, or one of its releases.
 *
 * @internal
 */
final readonly class ApplicationRoot
{
    /**
     * @param ?string $real with links resolved; null if unknown
     * @param ?string $vendor directory of its packages: two directories with the same packages are one application
     *     behind a link
     * @param ?string $state target of its link to storage or .env, which releases of one application share
     * @param string $source the evidence that it is served
     * @param bool $hasEntry whether its own index.php has run
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
     * Whether it is the same directory or another release. Releases of one application are below one directory
     * `releases`, or share storage or .env.
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
