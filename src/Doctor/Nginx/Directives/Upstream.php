<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\Nginx\Config\Directive;

/**
 * A named group of servers. Its keepalive is how many idle connections each worker keeps.
 *
 * @internal
 */
final readonly class Upstream
{
    /** @param list<Directive> $servers */
    private function __construct(
        public Directive $directive,
        public string $name,
        public array $servers,
        public NginxSetting $keepalive,
        public NginxSetting $keepaliveTimeout,
        public NginxSetting $keepaliveRequests,
        public NginxSetting $keepaliveTime,
    ) {}

    public static function fromDirective(Directive $directive, Defaults $defaults): self
    {
        $setting = static function (string $name) use ($directive, $defaults): NginxSetting {
            $own = $directive->block?->first($name);

            return $own === null ? $defaults->ofUpstream($name) : NginxSetting::fromDirective($own);
        };

        return new self(
            $directive,
            $directive->argument(0) ?? '',
            $directive->block?->named('server') ?? [],
            $setting('keepalive'),
            $setting('keepalive_timeout'),
            $setting('keepalive_requests'),
            $setting('keepalive_time'),
        );
    }

    /** Whether idle connections to it are kept; null where that depends on a version that is not known. */
    public function keeps(): ?bool
    {
        return $this->keepalive->isKnown() ? ($this->keepalive->number() ?? 0) > 0 : null;
    }

    /** @return list<string> such as unix:/run/php/php-fpm.sock */
    public function addresses(): array
    {
        return array_values(array_filter(
            array_map(static fn (Directive $server): ?string => $server->argument(0), $this->servers),
            is_string(...),
        ));
    }
}
