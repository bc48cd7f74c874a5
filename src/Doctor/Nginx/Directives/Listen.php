<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\Nginx\Config\Directive;

/**
 * @internal
 */
final readonly class Listen
{
    /** NGX_LISTEN_BACKLOG on Linux; net.core.somaxconn may make it less. */
    public const DEFAULT_BACKLOG = 511;

    /**
     * @param ?Directive $directive null where a server has no listen
     * @param string $address with its port, which nginx takes to be 80
     * @param int $backlog as asked for
     */
    private function __construct(
        public ?Directive $directive,
        public string $address,
        public int $backlog,
        public bool $backlogIsSet,
        public bool $reuseport,
        public bool $ssl,
    ) {}

    public static function fromDirective(Directive $directive): self
    {
        $backlog = Units::number($directive->parameter('backlog') ?? '');

        return new self(
            $directive,
            self::withPort($directive->argument(0) ?? ''),
            $backlog ?? self::DEFAULT_BACKLOG,
            $backlog !== null,
            $directive->has('reuseport'),
            $directive->has('ssl'),
        );
    }

    /** Of a server that says nothing, started by root. */
    public static function byDefault(): self
    {
        return new self(null, '*:80', self::DEFAULT_BACKLOG, false, false, false);
    }

    private static function withPort(string $address): string
    {
        return match (true) {
            str_starts_with($address, 'unix:'),
            preg_match('/:\d+\z/', $address) === 1 && ! str_ends_with($address, ']') => $address,
            ctype_digit($address) => "*:{$address}",
            default => "{$address}:80",
        };
    }
}
