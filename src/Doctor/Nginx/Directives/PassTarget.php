<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

/**
 * One place that a fastcgi_pass can lead to.
 *
 * @internal
 */
final readonly class PassTarget
{
    /**
     * @param string $name of an upstream, or an address
     * @param ?Upstream $upstream null where it names none
     */
    public function __construct(public string $name, public ?Upstream $upstream) {}

    /** @return list<string> such as unix:/run/php/php-fpm.sock */
    public function addresses(): array
    {
        return $this->upstream?->addresses() ?? [$this->name];
    }

    public function isSocket(): bool
    {
        return $this->upstream === null && str_starts_with($this->name, 'unix:');
    }
}
