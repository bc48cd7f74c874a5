<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Directives\LogFormat;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class NoTimings implements ServerCheck
{
    /** combined, with the times behind it as the reader of access logs here knows them. */
    private const FORMAT = '\'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent'
        .' "$http_referer" "$http_user_agent" request_time=$request_time upstream_connect_time=$upstream_connect_time'
        .' upstream_header_time=$upstream_header_time upstream_response_time=$upstream_response_time\'';

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];
        $taken = array_map(static fn (LogFormat $format): string => $format->name, $nginx->facts->logFormats());

        foreach ($nginx->facts->accessLogs() as $log) {
            $format = $nginx->facts->logFormat($log->format);

            if ($format === null) {
                throw FactUnavailable::because(
                    "The access log {$log->path} has the format '{$log->format}', which is not among those that"
                        .' nginx knows.',
                    'sudo nginx -T | grep log_format',
                );
            }

            $missing = $format->missingTimings();
            $fix = null;

            if ($missing !== []) {
                // Whoever mends several logs at once gives none of them the name of another's format.
                $fix = $this->fix($nginx, $log, $taken[] = self::free($taken));
            }

            $evidence = [
                new Evidence('access_log', "{$log->path} {$log->format}", $log->said?->where() ?? 'default of nginx'),
                new Evidence(
                    "log_format {$format->name}",
                    $format->text,
                    $format->said?->where() ?? 'built into nginx',
                ),
            ];
            $findings[] = ($fix === null
                ? Finding::pass('it says how long each request took', ...$evidence)
                : Finding::warn(
                    'Its lines lack '
                        .implode(', ', array_map(static fn (string $name): string => "\${$name}", $missing)).'.',
                    $evidence,
                    'Where requests waited can not be told from the log.',
                    $fix,
                ))->about($log->path);
        }

        return $findings;
    }

    /** @param string $name of a format, where none that is there has the times */
    private function fix(NginxServer $nginx, AccessLog $log, string $name): Fix
    {
        $said = $log->said;
        $timed = $said === null
            ? []
            : array_values(array_filter(
                $nginx->facts->logFormatsAbove($said),
                static fn (LogFormat $format): bool => $format->missingTimings() === [],
            ));

        if ($said !== null && $timed !== []) {
            return $this->edited(
                $nginx,
                "Let the log use the format {$timed[0]->name}, which has the times.",
                'Put the line back',
                self::inFormat($said, $timed[0]->name),
            );
        }

        $text = 'Put a format with the times into http, and let the log use it.';
        $format = "log_format {$name} ".self::FORMAT;

        // A format is one of http, before what uses it.
        $place = $said?->path()[1] ?? null;

        return $said === null || $place === null
            ? $this->edited($nginx, "{$text} As one line of http, above its servers: {$format};", 'Take the lines back')
            : $this->edited(
                $nginx,
                $text,
                'Take the lines back',
                NginxChange::before($place, $format),
                self::inFormat($said, $name),
            );
    }

    private function edited(NginxServer $nginx, string $text, string $back, NginxChange ...$changes): Fix
    {
        return new Fix(
            $text,
            NginxChange::edits(...$changes),
            [$nginx->reload()],
            "{$back} and reload nginx.",
        );
    }

    private static function inFormat(Directive $said, string $format): NginxChange
    {
        return NginxChange::to(
            $said,
            NginxChange::written(
                'access_log',
                [$said->argument(0) ?? '', $format, ...array_slice($said->arguments, 2)],
            ),
        );
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
