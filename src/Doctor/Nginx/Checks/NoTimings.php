<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class NoTimings implements NginxCheck
{
    /** combined, with the times behind it under the names that logs:slow reads. */
    private const FORMAT = '\'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'
        .' "$http_referer" "$http_user_agent" request_time=$request_time upstream_connect_time=$upstream_connect_time'
        .' upstream_header_time=$upstream_header_time upstream_response_time=$upstream_response_time\'';

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $taken = array_column($nginx->facts->logFormats(), 'name');

        foreach ($nginx->facts->accessLogs() as $log) {
            $format = $nginx->facts->logFormat($log->format) ?? throw FactUnavailable::because(
                "The access log {$log->path} has the format '{$log->format}', which no log_format defines.",
                'sudo nginx -T | grep log_format',
            );
            $missing = array_map(static fn (string $name): string => "\${$name}", $format->missingTimings());
            $evidence = [$log->evidence(), $format->evidence()];

            if ($missing === []) {
                yield Finding::pass('the log says how long each request took', ...$evidence)->about($log->path);

                continue;
            }

            // Each of several logs gets a format of its own, so that you can fix them one by one.
            $taken[] = $name = self::free($taken);

            yield Finding::warn(
                'The lines of this log lack '.implode(', ', $missing).'.',
                $evidence,
                self::fix($nginx, $log, $name),
            )->about($log->path);
        }
    }

    /** @param string $name of a new format, if no format that the log may use has the times */
    private static function fix(NginxServer $nginx, AccessLog $log, string $name): Fix
    {
        // nginx knows no format that is defined below the line that uses it.
        $place = $log->said?->path()[1] ?? null;
        $format = "log_format {$name} ".self::FORMAT;

        if ($log->said === null || $place === null) {
            $change = "Add `{$format};` and `access_log {$log->path} {$name};` to http, above its servers.";

            return new Fix(changes: [new ManualChange($change)], commands: [$nginx->reload()]);
        }

        foreach ($nginx->facts->logFormatsAbove($log->said) as $known) {
            if ($known->missingTimings() === []) {
                return $nginx->fix([self::using($log->said, $known->name)]);
            }
        }

        return $nginx->fix([NginxChange::before($place, $format), self::using($log->said, $name)]);
    }

    private static function using(Directive $said, string $format): NginxChange
    {
        $arguments = [$said->argument(0) ?? '', $format, ...array_slice($said->arguments, 2)];

        return NginxChange::to($said, NginxChange::written('access_log', $arguments));
    }

    /** @param list<string> $taken */
    private static function free(array $taken): string
    {
        $name = 'timed';

        for ($number = 2; in_array($name, $taken, true); $number++) {
            $name = "timed_{$number}";
        }

        return $name;
    }
}
