<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Closure;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Support\InvalidConfig;

/**
 * The root, the settings and the routes of the application that a preload command works on.
 *
 * @internal
 */
final readonly class PreloadContext
{
    /**
     * @param string $root absolute, without symbolic links
     * @param Closure(): array<array-key, mixed> $settings
     * @param Closure(): list<Page> $routes pages that a GET without parameters reaches
     */
    public function __construct(public string $root, private Closure $settings, private Closure $routes) {}

    /** @throws InvalidConfig */
    public function config(): PreloadConfig
    {
        return PreloadConfig::fromArray(($this->settings)(), $this->root);
    }

    /** @return list<Page> */
    public function routes(): array
    {
        return ($this->routes)();
    }

    /** The path through the link of a deploy: /srv/app/current/... stays valid when /srv/app/releases/7 is replaced. */
    public function stablePath(string $file): string
    {
        $parent = dirname($this->root);

        foreach ([dirname($parent), $parent] as $folder) {
            foreach (['current', 'live', 'release'] as $name) {
                if (is_link("{$folder}/{$name}") && realpath("{$folder}/{$name}") === $this->root) {
                    return "{$folder}/{$name}/{$file}";
                }
            }
        }

        return "{$this->root}/{$file}";
    }
}
