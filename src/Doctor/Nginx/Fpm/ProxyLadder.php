<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\ListenAddress;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\Directives\ProxyPass;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Nginx\ServerCheck;
use Headroom\Doctor\NotApplicable;

/**
 * @internal
 */
final readonly class ProxyLadder implements ServerCheck
{
    /** Of octane:start and artisan serve. */
    private const OCTANE = 8000;

    private const LONGER = 5;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->proxies() as $proxy) {
            foreach ($this->of($facts, $nginx, $proxy) as $what => $finding) {
                $place = $nginx->facts->place($proxy->said);
                $findings["{$place} {$proxy->said->where()} {$what}"] = $finding->about("{$place}, {$what}");
            }
        }

        return array_values($findings);
    }

    /** @return array<string, Finding> */
    private function of(Facts $facts, NginxServer $nginx, ProxyPass $proxy): array
    {
        $read = $proxy->readTimeout->milliseconds();

        if ($proxy->targets === [] || $read === null) {
            $why = $read === null
                ? "proxy_read_timeout is not known: {$proxy->readTimeout->source}"
                : "Where proxy_pass {$proxy->address} leads to is known with each request only";

            return [
                'proxy_read_timeout' => Finding::unknown(
                    "{$why} ({$proxy->said->where()}).",
                    'sudo nginx -T | grep -n proxy_',
                ),
            ];
        }

        $findings = [];
        $servers = $facts->get(NginxServers::class);

        foreach ($proxy->targets as $target) {
            $isFound = false;

            foreach ($servers->known as $inner) {
                foreach ($inner->facts->serversAt($target) as $server) {
                    $isFound = true;
                    $findings = $this->worse(
                        $findings,
                        'proxy_read_timeout',
                        $this->patience($facts, $nginx, $proxy, $inner, $server, $read),
                    );
                    $findings = $this->worse(
                        $findings,
                        'keepalive_timeout',
                        $this->kept($nginx, $proxy, $inner, $server),
                    );
                }
            }

            if (! $isFound && $target->isHere()) {
                $other = $this->noNginx($servers, $target) ?? $this->octane($facts, $nginx, $proxy, $target, $read);
                $findings = $this->worse($findings, 'proxy_read_timeout', $other);
            }
        }

        return $findings;
    }

    private function noNginx(NginxServers $servers, ListenAddress $target): ?Finding
    {
        foreach ($servers->unknown as $unknown) {
            return Finding::unknown(
                "Whether an nginx that cannot be read listens at {$target->text()} is not known: "
                    ."{$unknown->getMessage()}",
                $unknown->command,
            );
        }

        return null;
    }

    /**
     * @param array<string, Finding> $findings
     * @return array<string, Finding> of several servers behind a place the first that is no pass
     */
    private function worse(array $findings, string $what, ?Finding $finding): array
    {
        $before = $findings[$what] ?? null;

        return $finding === null || (
            $before !== null && ($before->status->isProblem() || ! $finding->status->isProblem())
        ) ? $findings : [$what => $finding] + $findings;
    }

    /** @param int $read milliseconds */
    private function patience(
        Facts $facts,
        NginxServer $nginx,
        ProxyPass $proxy,
        NginxServer $inner,
        Directive $server,
        int $read,
    ): ?Finding {
        try {
            [$longest, $most, $shown] = $this->longest($facts, $inner, $server);
        } catch (FactUnavailable $e) {
            return Finding::unavailable($e);
        }

        if ($longest === 0) {
            return null;
        }

        $evidence = [
            new Evidence('proxy_read_timeout', (string) $proxy->readTimeout->value(), $proxy->readTimeout->source),
            new Evidence('proxy_pass', $proxy->address, $proxy->said->where()),
            ...$shown,
        ];
        $better = intdiv($most, 1000) + self::LONGER;

        return $read >= $longest ? Finding::pass('the inner one ends first', ...$evidence) : Finding::warn(
            'The proxy gives up after '.$read / 1000 .' seconds, and nginx behind it waits for PHP for '
                .$longest / 1000 .'.',
            $evidence,
            'Clients get a 504 from the proxy while a process works on what no client waits for.',
            new Fix(
                "Let the proxy wait a little longer than the nginx behind it: proxy_read_timeout {$better}s; there.",
                $this->edits($proxy->readTimeout, $proxy->said, "proxy_read_timeout {$better}s"),
                [$nginx->reload()],
                'Put the line back and reload nginx.',
            ),
        );
    }

    /**
     * @return array{int, int, list<Evidence>} milliseconds after which PHP has ended, and that nginx would wait,
     *     at the most
     *
     * @throws FactUnavailable
     */
    private function longest(Facts $facts, NginxServer $inner, Directive $server): array
    {
        $longest = 0;
        $most = 0;
        $evidence = [];

        foreach ($inner->facts->passes() as $pass) {
            if (! in_array($server, $pass->said->path(), true)) {
                continue;
            }

            $read = $pass->readTimeout;
            $allowed = $read->milliseconds() ?? throw FactUnavailable::because(
                "fastcgi_read_timeout is not known: {$read->source}.",
                'sudo nginx -T | grep fastcgi_read_timeout',
            );
            $most = max($most, $allowed);
            [$ends, $shown] = $this->end($facts, $pass, $allowed);

            if ($ends > $longest) {
                $longest = $ends;
                $evidence = [new Evidence('fastcgi_read_timeout', (string) $read->value(), $read->source), ...$shown];
            }
        }

        return [$longest, $most, $evidence];
    }

    /** @return array{int, list<Evidence>} milliseconds: PHP-FPM may end a request before nginx gives it up */
    private function end(Facts $facts, FastcgiPass $pass, int $allowed): array
    {
        $ends = 0;
        $shown = [];

        foreach ($pass->targets->addresses() as $address) {
            try {
                $pool = $facts->get(FpmPools::class)->listeningAt($address);
                $seconds = $pool?->seconds('request_terminate_timeout') ?? 0;
            } catch (FactUnavailable|NotApplicable) {
                [$pool, $seconds] = [null, 0];
            }

            $ends = max($ends, $seconds > 0 ? min($allowed, 1000 * $seconds) : $allowed);
            $shown = [...$shown, ...($pool === null ? [] : [$pool->evidence('request_terminate_timeout')])];
        }

        return [$ends, $shown];
    }

    private function kept(NginxServer $nginx, ProxyPass $proxy, NginxServer $inner, Directive $server): ?Finding
    {
        $outer = $proxy->upstream;

        if ($outer === null || ($outer->keepalive->number() ?? 0) === 0) {
            return null;
        }

        $keeps = $outer->keepaliveTimeout->milliseconds();
        $closes = $inner->facts->setting('keepalive_timeout', $server);

        if ($keeps === null || $closes->milliseconds() === null) {
            return Finding::unknown(
                "How long connections between {$nginx->facts->place($proxy->said)} and {$proxy->address} "
                    ."are kept is not known: {$outer->keepaliveTimeout->source}.",
                'sudo nginx -T | grep -n keepalive',
            );
        }

        $evidence = [
            new Evidence(
                "keepalive_timeout of upstream {$outer->name}",
                (string) $outer->keepaliveTimeout->value(),
                $outer->keepaliveTimeout->source,
            ),
            new Evidence('keepalive_timeout', (string) $closes->value(), $closes->source),
        ];

        // With 0 each answer says that the connection ends.
        if ($closes->milliseconds() === 0 || $keeps < $closes->milliseconds()) {
            return Finding::pass('the proxy lets go of connections first', ...$evidence);
        }

        return $this->keptTooLong($nginx, $outer, $keeps, $closes->milliseconds(), $evidence);
    }

    /** @param list<Evidence> $evidence */
    private function keptTooLong(NginxServer $nginx, Upstream $outer, int $keeps, int $closes, array $evidence): Finding
    {
        $better = max(1, intdiv($closes, 1000) - self::LONGER);

        return Finding::warn(
            'The proxy keeps idle connections for '.$keeps / 1000 .' seconds, and nginx behind it closes them after '
                .$closes / 1000 .'.',
            $evidence,
            'Now and then a request is sent on a connection that is being closed, and ends with 502.',
            new Fix(
                "Let the proxy let go first: keepalive_timeout {$better}s; in upstream {$outer->name}.",
                $this->edits(
                    $outer->keepaliveTimeout,
                    $outer->servers[0] ?? $outer->said,
                    "keepalive_timeout {$better}s",
                ),
                [$nginx->reload()],
                'Put the line back and reload nginx.',
            ),
        );
    }

    private function octane(
        Facts $facts,
        NginxServer $nginx,
        ProxyPass $proxy,
        ListenAddress $target,
        int $read,
    ): ?Finding {
        try {
            $app = $facts->get(Application::class);
        } catch (NotApplicable) {
            return null;
        }

        $seconds = $app->number('octane.max_execution_time');

        if ($target->port !== self::OCTANE || ! isset($app->packages['laravel/octane']) || $seconds === null) {
            return null;
        }

        $evidence = [
            new Evidence('proxy_read_timeout', (string) $proxy->readTimeout->value(), $proxy->readTimeout->source),
            $app->evidence('octane.max_execution_time'),
        ];
        $end = max(1, intdiv($read, 1000) - self::LONGER);

        if ($seconds > 0.0 && 1000 * $seconds <= $read) {
            return Finding::pass('Octane ends first', ...$evidence);
        }

        return Finding::warn(
            'The proxy gives up after '.$read / 1000 .' seconds, and Octane '.(
                $seconds > 0.0 ? "ends a request after {$seconds}." : 'ends no request.'
            ),
            $evidence,
            'Clients get a 504 from the proxy while a worker works on what no client waits for.',
            new Fix(
                "Let Octane end requests first: 'max_execution_time' => {$end} in config/octane.php. Where "
                    ."requests need longer, raise proxy_read_timeout ({$nginx->facts->place($proxy->said)}).",
                $app->edits(['octane.max_execution_time' => (string) $end]),
                [...$app->recache(), 'artisan octane:reload'],
                'Set it back.',
            ),
        );
    }

    /** @return list<Edit|ManualChange> */
    private function edits(NginxSetting $setting, Directive $beside, string $text): array
    {
        return NginxChange::edits(
            $setting->said === null ? NginxChange::before($beside, $text) : NginxChange::to($setting->said, $text),
        );
    }
}
