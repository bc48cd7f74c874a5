<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

/**
 * One way to run an application: the same pages, other autoloader or another list to preload.
 *
 * @internal
 */
final readonly class Variant
{
    /**
     * @param string $front absolute path of the front controller
     * @param string $root the document root
     * @param ?string $preload absolute path of the script; null for none
     * @param array<string, string> $env all that the workers see
     * @param array<string, string|int|bool> $ini what differs from the other variants
     */
    public function __construct(
        public string $name,
        public string $front,
        public string $root,
        public ?string $preload = null,
        public array $env = [],
        public array $ini = [],
    ) {}

    public function named(string $name): self
    {
        return new self($name, $this->front, $this->root, $this->preload, $this->env, $this->ini);
    }

    public function preloading(string $name, string $script): self
    {
        return new self($name, $this->front, $this->root, $script, $this->env, $this->ini);
    }
}
