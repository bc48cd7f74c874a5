<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Host\Account;

/**
 * What all variants have in common.
 *
 * @internal
 */
final readonly class Ground
{
    /** Room for the largest list twice, as a server has whose opcache is never full. */
    private const INI = [
        'opcache.enable' => true,
        'opcache.validate_timestamps' => false,
        'opcache.memory_consumption' => 192,
        'opcache.interned_strings_buffer' => 32,
        'opcache.max_accelerated_files' => 20_000,
        'opcache.jit' => 'disable',
        'realpath_cache_size' => '4096K',
        'realpath_cache_ttl' => 600,
        'memory_limit' => '256M',
        'display_errors' => false,
        'log_errors' => true,
    ];

    public ?Account $account;

    /**
     * @param string $user whom the workers run as when root starts them
     * @param array<string, string|int|bool> $ini
     */
    public function __construct(public string $user, private array $ini = [])
    {
        $this->account = Account::forWorkers($user);
    }

    /** @return array<string, string|int|bool> without an error_log: what PHP says goes to FPM's, in a directory of the variant's own */
    public function ini(Variant $variant): array
    {
        return [
            ...$this->settings(),
            ...$variant->ini,
            ...($variant->preload === null ? [] : ['opcache.preload' => $variant->preload]),
            // Root has to say who it is then; for everybody else PHP warns of it.
            ...($variant->preload === null || $this->account === null ? [] : ['opcache.preload_user' => $this->account->user]),
        ];
    }

    /** @return array<string, string|int|bool> */
    public function settings(): array
    {
        return [...self::INI, ...$this->ini];
    }
}
