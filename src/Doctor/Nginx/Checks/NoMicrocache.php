<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\LoggedTraffic;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class NoMicrocache implements ServerCheck
{
    private const MANY = 20;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->passes() as $pass) {
            foreach ($pass->cache->is(
                'off',
            ) ? $nginx->facts->accessLogsAt($pass->said->parent ?? $pass->said) : [] as $log) {
                try {
                    $findings[$log->path] ??= $this->finding($nginx->traffic($log))->about($log->path);
                } catch (FactUnavailable $e) {
                    $findings[$log->path] = Finding::unavailable($e)->about($log->path);
                }
            }
        }

        return $findings === []
            ? [Finding::skipped('what PHP makes is kept, or no access log is written that could tell')]
            : array_values($findings);
    }

    private function finding(LoggedTraffic $traffic): Finding
    {
        $pages = $traffic->pages ?? throw FactUnavailable::because(
            'The access log does not tell which requests PHP has answered: its format lacks $upstream_response_time.',
            'headroom doctor --only=N17',
        );
        $page = TerminalText::name($traffic->page);
        $evidence = [
            new Evidence('GETs of one page in the busiest second', (string) $pages, $traffic->source),
            ...($pages === 0 ? [] : [new Evidence('page', $page, $traffic->source)]),
        ];

        return ($pages < self::MANY ? Finding::pass('no page is asked for so often', ...$evidence) : Finding::warn(
            "PHP has made {$page} {$pages} times in one second.",
            $evidence,
            'When many come at once all processes make the same page.',
            new Fix(
                'See whether it is the same for all who are not logged in: the command below shows no Set-Cookie then,'
                    .' and asking twice shows the same page. Only then keep it for a second:'
                    .' fastcgi_cache_path in http; fastcgi_cache, fastcgi_cache_key, fastcgi_cache_valid 200 1s,'
                    .' fastcgi_cache_lock on, fastcgi_cache_use_stale updating, and fastcgi_cache_bypass and'
                    .' fastcgi_no_cache for the cookie of the session where PHP is. A page that is not the same for all'
                    .' must not be kept: one visitor would see that of another.',
                [],
                ['curl -sI '.escapeshellarg("http://localhost{$page}").' | grep -i -e set-cookie -e cache-control'],
                'Nothing was changed.',
            ),
        ))->withConfidence(Confidence::Observed);
    }
}
