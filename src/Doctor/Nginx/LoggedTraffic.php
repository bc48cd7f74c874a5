<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Directives\LogFormat;
use Headroom\Doctor\Nginx\Variables\VariableNames;
use Headroom\Host\AccessLog\AccessLogEntry;
use Headroom\Host\AccessLog\AccessLogReader;
use Headroom\Host\Log\LogTail;
use Headroom\Host\Log\UnableToReadLog;

/**
 * The requests of the busiest seconds in the last part of an access log.
 *
 * @internal
 */
final readonly class LoggedTraffic
{
    /** Suffixes of files that nginx serves itself, for a log that does not name the upstream. */
    private const FILES = [
        'avif', 'bmp', 'css', 'eot', 'gif', 'ico', 'jpeg', 'jpg', 'js', 'json', 'map', 'mjs', 'mp4', 'otf', 'pdf',
        'png', 'svg', 'ttf', 'txt', 'webmanifest', 'webm', 'webp', 'woff', 'woff2', 'xml',
    ];

    /**
     * @param int $files most requests for files that were answered in one second
     * @param ?int $pages most answers of PHP to GETs of one page in one second; null where the log
     *     does not tell who answered
     * @param string $page which, without its query
     * @param int $lines how many were understood
     */
    private function __construct(
        public int $files,
        public ?int $pages,
        public string $page,
        public int $lines,
        public string $source,
    ) {}

    /**
     * @param ?LogFormat $format null where it is not known
     *
     * @throws FactUnavailable
     */
    public static function in(AccessLog $log, ?LogFormat $format): self
    {
        $command = 'sudo tail -n 10000 '.escapeshellarg($log->path);

        if (! str_starts_with($log->path, '/') || $log->hasVariablesInPath()) {
            throw FactUnavailable::because(
                "The access log {$log->path} is no one file that could be looked into.",
                'sudo nginx -T | grep access_log',
            );
        }

        try {
            $lines = LogTail::of($log->path)->lines;
        } catch (UnableToReadLog $e) {
            throw FactUnavailable::because($e->getMessage(), $command);
        }

        $traffic = self::among(
            $lines,
            $format !== null && in_array('upstream_response_time', VariableNames::in($format->text), true),
            "the last lines of {$log->path}",
        );

        return $lines !== [] && $traffic->lines === 0 ? throw FactUnavailable::because(
            "The lines of {$log->path} are not in a format that is understood here: the combined one,"
                .' with times behind it.',
            $command,
        ) : $traffic;
    }

    /** @param list<string> $lines */
    private static function among(array $lines, bool $tellsWhoAnswered, string $source): self
    {
        $files = [];
        $pages = [];
        $understood = 0;

        foreach ((new AccessLogReader)->entries($lines) as $entry) {
            if (! $entry instanceof AccessLogEntry) {
                continue;
            }

            $understood++;
            $target = self::got($entry);
            $path = substr($target, 0, strcspn($target, '?'));

            if ($entry->timings->upstreamResponse !== null) {
                // Two clients seldom ask for the same query.
                if ($target !== '' && $path === $target) {
                    $key = "{$entry->time} {$path}";
                    $pages[$key] = ($pages[$key] ?? 0) + 1;
                }
            } elseif (in_array(strtolower(pathinfo($path, PATHINFO_EXTENSION)), self::FILES, true)) {
                $files[$entry->time] = ($files[$entry->time] ?? 0) + 1;
            }
        }

        arsort($pages);
        $most = (string) key($pages);

        return new self(
            $files === [] ? 0 : max($files),
            $tellsWhoAnswered ? $pages[$most] ?? 0 : null,
            substr($most, strcspn($most, ' ') + 1),
            $understood,
            $source,
        );
    }

    /** @return string path and query of a GET that was answered; '' of anything else */
    private static function got(AccessLogEntry $entry): string
    {
        $target = $entry->target ?? '';

        return $entry->method === 'GET' && in_array($entry->status, [200, 304], true) && str_starts_with($target, '/')
            ? $target
            : '';
    }
}
