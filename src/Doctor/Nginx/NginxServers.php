<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\PartialFact;

/**
 * Every nginx that runs on this machine. A finding about one of several names it.
 *
 * @internal
 */
final readonly class NginxServers implements PartialFact
{
    /**
     * @param list<NginxServer> $known
     * @param array<int, FactUnavailable> $unknown why the configuration of an nginx is not known, by its pid
     */
    private function __construct(public array $known, public array $unknown) {}

    /**
     * @param list<NginxServer> $known
     * @param array<int, FactUnavailable> $unknown by the pid of its master
     *
     * @throws NotApplicable
     */
    public static function of(array $known, array $unknown = []): self
    {
        return $known === [] && $unknown === []
            ? throw NotApplicable::of('no nginx runs here')
            : new self($known, $unknown);
    }

    public function unread(): array
    {
        $unread = [];

        foreach ($this->unknown as $pid => $why) {
            $unread["nginx with pid {$pid}"] = $why;
        }

        return $unread;
    }

    /** False only where every configuration is known and none keeps connections. */
    public function mayKeepConnections(): bool
    {
        foreach ($this->known as $nginx) {
            $upstreams = $nginx->facts->upstreams();

            foreach ($nginx->facts->passes() as $pass) {
                if ($pass->kept() !== [] || $pass->whetherMoreAreKept($upstreams) !== null) {
                    return true;
                }
            }
        }

        return $this->unknown !== [];
    }

    /**
     * For callers that expect a single nginx.
     *
     * @throws FactUnavailable
     */
    public function first(): NginxServer
    {
        return $this->known[0] ?? throw array_values($this->unknown)[0];
    }

    public function areSeveral(): bool
    {
        return count($this->known) + count($this->unknown) > 1;
    }

    /** Its configuration file, which stays the same after a restart; with the pid where two share one. */
    public function name(NginxServer $server): string
    {
        $file = self::file($server);
        $alike = array_filter($this->known, static fn (NginxServer $other): bool => self::file($other) === $file);

        return "nginx of {$file}".(count($alike) > 1 ? " with pid {$server->master->pid}" : '');
    }

    private static function file(NginxServer $server): string
    {
        return $server->facts->config->files[0] ?? "pid {$server->master->pid}";
    }
}
