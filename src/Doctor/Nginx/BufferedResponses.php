<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Logs\ErrorLog\NginxError;
use Headroom\Doctor\Logs\ErrorLog\NginxLine;
use Headroom\Doctor\Logs\ErrorLog\NginxMessages;
use Headroom\Doctor\Nginx\Directives\ErrorLogFile;
use Headroom\Host\Log\LogTail;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Support\TerminalText;

/**
 * Responses that nginx wrote to a file because they did not fit into its buffers, by the end of its error log. A reload
 * starts new workers, so lines of the workers that run now are lines of the present configuration.
 *
 * @internal
 */
final readonly class BufferedResponses
{
    private const LEVEL = 'warn';

    /**
     * @param array<array-key, int> $uris the number of responses by path, the most frequent first; a path of digits is
     *     an integer key of PHP
     * @param ?string $last its time, as written in the log
     */
    private function __construct(public int $count, public array $uris, public ?string $last) {}

    /**
     * @param list<int> $workers pids
     *
     * @throws FactUnavailable
     */
    public static function in(ErrorLogFile $log, array $workers): self
    {
        $path = escapeshellarg($log->path);

        if (! $log->isLocalFile()) {
            throw FactUnavailable::because(
                "nginx writes its errors to {$log->path} ({$log->directive->where()}), where they cannot be counted.",
                'sudo nginx -T | grep error_log',
            );
        }

        if (! $log->takes(self::LEVEL)) {
            throw FactUnavailable::because(
                "nginx logs a response that goes through a file as a warning, and {$log->path} takes nothing below"
                    ." {$log->level} ({$log->directive->where()}). For a test, set there: error_log {$log->path} warn;"
                    .' and reload nginx.',
                "sudo grep -c 'buffered to a temporary file' {$path}",
            );
        }

        try {
            return self::among(LogTail::of($log->path)->lines, $workers);
        } catch (UnableToReadLog $e) {
            throw FactUnavailable::because(
                $e->getMessage(),
                "sudo tail -n 10000 {$path} | grep -c 'response is buffered to a temporary file'",
            );
        }
    }

    /** @return list<Evidence> the paths with the most of them */
    public function evidence(ErrorLogFile $log): array
    {
        return array_map(static fn (int|string $uri, int $times): Evidence => new Evidence(
            $uri === '' ? 'requests that the log does not name' : TerminalText::name((string) $uri),
            (string) $times,
            $log->path,
        ), array_keys($this->uris), array_values($this->uris));
    }

    /**
     * @param list<string> $lines
     * @param list<int> $workers
     */
    private static function among(array $lines, array $workers): self
    {
        $messages = new NginxMessages;
        $count = 0;
        $uris = [];
        $last = null;

        foreach ($lines as $text) {
            $line = str_contains($text, 'temporary file') ? NginxLine::parse($text) : null;

            if (
                $line !== null
                && in_array($line->pid(), $workers, true)
                && $messages->kind($line->message, $line->level) === NginxError::ResponseBuffered
            ) {
                $count++;
                $uris[$line->uri ?? ''] = ($uris[$line->uri ?? ''] ?? 0) + 1;
                $last = $line->time;
            }
        }

        arsort($uris);

        return new self($count, array_slice($uris, 0, 3, true), $last);
    }
}
