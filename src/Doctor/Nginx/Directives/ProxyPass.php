<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Variables\VariableNames;

/**
 * A place where requests go on to another HTTP server.
 *
 * @internal
 */
final readonly class ProxyPass
{
    /** @param list<ListenAddress> $targets where it leads to; none where only a request tells */
    private function __construct(
        public Directive $directive,
        public string $address,
        public array $targets,
        public ?Upstream $upstream,
        public NginxSetting $readTimeout,
    ) {}

    public static function fromDirective(Directive $directive, NginxConfig $config, Defaults $defaults): self
    {
        $address = $directive->argument(0) ?? '';
        $name = preg_match('~\Ahttps?://([^/:\[]+)(?:/|\z)~i', $address, $m) === 1 ? $m[1] : '';
        $upstream = $name === '' ? null : $config->upstream($name);
        $upstream = $upstream === null ? null : Upstream::fromDirective($upstream, $defaults);
        $isTls = str_starts_with(strtolower($address), 'https:');
        $targets = match (true) {
            VariableNames::in($address) !== [] => [],
            $upstream !== null => array_map(
                static fn (string $server): ?ListenAddress => ListenAddress::at($server, 80),
                $upstream->addresses(),
            ),
            default => [self::target($address, $isTls)],
        };

        return new self(
            $directive,
            $address,
            array_values(array_filter($targets, static fn (?ListenAddress $target): bool => $target !== null)),
            $upstream,
            $config->setting('proxy_read_timeout', $directive->parent ?? $directive, $defaults),
        );
    }

    /** Why it is not known where it leads to, or for how long it waits. */
    public function unresolved(): ?FactUnavailable
    {
        $why = match (true) {
            $this->readTimeout->milliseconds() === null =>
                "proxy_read_timeout is not known: {$this->readTimeout->source}",
            $this->targets === [] => "The address of proxy_pass {$this->address} is known only with each request",
            default => null,
        };

        return $why === null
            ? null
            : FactUnavailable::because("{$why} ({$this->directive->where()}).", 'sudo nginx -T | grep -n proxy_');
    }

    private static function target(string $address, bool $isTls): ?ListenAddress
    {
        if (preg_match('~\Ahttps?://unix:([^:]+)~i', $address, $m) === 1) {
            return ListenAddress::at("unix:{$m[1]}", 0);
        }

        $parts = parse_url($address);
        $host = $parts['host'] ?? '';

        return $host === '' ? null : ListenAddress::at(
            $host.(isset($parts['port']) ? ":{$parts['port']}" : ''),
            $isTls ? 443 : 80,
        );
    }
}
