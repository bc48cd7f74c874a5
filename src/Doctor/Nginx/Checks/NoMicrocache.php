<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\LoggedTraffic;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class NoMicrocache implements NginxCheck
{
    /** GETs of one page in one second. */
    private const MANY = 20;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->passes() as $pass) {
            $logs = $pass->cache->is('off')
                ? $nginx->facts->accessLogsAt($pass->directive->parent ?? $pass->directive)
                : [];

            foreach ($logs as $log) {
                $findings[$log->path] ??= Finding::from(static fn (): Finding => self::ofLog($nginx->traffic($log)))
                    ->about($log->path);
            }
        }

        return $findings === []
            ? [Finding::skipped('responses of PHP are cached, or no access log shows them')]
            : array_values($findings);
    }

    private static function ofLog(LoggedTraffic $traffic): Finding
    {
        $pages = $traffic->pages ?? throw FactUnavailable::because(
            'The access log does not show which requests PHP has answered: its format lacks $upstream_response_time'
                .' (check N17).',
            'sudo nginx -T | grep log_format',
        );
        $page = TerminalText::name($traffic->page);
        $url = escapeshellarg("http://localhost{$page}");
        $evidence = [
            new Evidence('GETs of one page in the busiest second', (string) $pages, $traffic->source),
            $pages === 0 ? null : new Evidence('page', $page, $traffic->source),
        ];

        return ($pages < self::MANY ? Finding::pass('no page is requested as often', ...$evidence) : Finding::warn(
            "PHP has built {$page} {$pages} times in one second.",
            $evidence,
            new Fix(commands: ["curl -sI {$url} | grep -i -e set-cookie -e cache-control"]),
        ))->observed();
    }
}
