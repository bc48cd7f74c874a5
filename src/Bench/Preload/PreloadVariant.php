<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Preload\TargetApplication;

/**
 * One way to run an application: the same pages, with another autoloader or another preload list.
 *
 * @internal
 */
final readonly class PreloadVariant
{
    /** The same settings for all variants; a site's own settings override them. */
    private const INI = [
        'opcache.enable' => true,
        'opcache.validate_timestamps' => false,
        // Room for the largest list twice, as on a server whose opcache is never full.
        'opcache.memory_consumption' => 192,
        'opcache.interned_strings_buffer' => 32,
        'opcache.max_accelerated_files' => 20_000,
        'opcache.jit' => 'disable',
        'realpath_cache_size' => '4096K',
        'realpath_cache_ttl' => 600,
        'memory_limit' => '256M',
        'display_errors' => false,
        // PHP reports files that it cannot preload in the log only, which is in a directory of the variant.
        'log_errors' => true,
        'error_log' => '',
    ];

    /** @param ?string $script absolute path of the preload script; null for none */
    public function __construct(public string $name, public TargetApplication $site, public ?string $script = null) {}

    /** The same variant again: a difference between the two is chance. */
    public function twin(): self
    {
        return new self("{$this->name} again", $this->site, $this->script);
    }

    public function preloading(string $name, string $script): self
    {
        return new self($name, $this->site, $script);
    }

    /** @return array<string, string|int|bool> */
    public function ini(): array
    {
        return [
            ...self::INI,
            ...$this->site->ini,
            // Empty, so that php.ini does not set it.
            'opcache.preload' => $this->script ?? '',
            // As root, PHP needs to know the user. As another user it warns about the setting.
            ...($this->script === null || $this->site->account === null
                ? []
                : ['opcache.preload_user' => $this->site->account->user]),
        ];
    }
}
