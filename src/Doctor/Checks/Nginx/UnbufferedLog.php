<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Nginx;

use Headroom\Doctor\ByHand;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Nginx\AccessLog;
use Headroom\Doctor\Facts\Nginx\Change;
use Headroom\Doctor\Facts\Nginx\NginxServer;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class UnbufferedLog implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'N13',
            'nginx writes its access log line by line',
            Severity::Low,
            Layer::Nginx,
            'Without `buffer` each request ends with a write to the log. With a variable in its path nginx opens and closes the file for each request as well, unless open_log_file_cache keeps it open.',
            'An access log in a file has no buffer, or a variable in its path.',
            ['https://nginx.org/en/docs/http/ngx_http_log_module.html#access_log'],
            3,
        );
    }

    public function examine(Facts $facts): array
    {
        $nginx = $facts->get(NginxServer::class);
        $findings = [];

        foreach ($nginx->facts->accessLogs() as $log) {
            if (! $log->isLocalFile()) {
                continue;
            }

            $evidence = new Evidence('access_log', $log->said === null ? "{$log->path} {$log->format}" : implode(' ', $log->said->arguments), $log->said?->where() ?? 'default of nginx');
            $isPlain = ! $log->hasVariablesInPath() && $log->bufferBytes !== null;

            $findings[] = ($isPlain ? Finding::pass('it is written in blocks', $evidence) : Finding::warn(
                $log->hasVariablesInPath() ? 'Its path has a variable.' : 'Each line is written by itself.',
                [$evidence],
                'Each request pays for a write, or for opening a file.',
                $this->fix($nginx, $log),
            ))->about($log->path);
        }

        return $findings;
    }

    private function fix(NginxServer $nginx, AccessLog $log): Fix
    {
        $fix = static fn (string $text, array $changes): Fix => new Fix(
            $text,
            $changes,
            [$nginx->reload()],
            'Put the line back and reload nginx.',
            'headroom doctor --only=N13',
        );
        $text = 'Write 64 kB at a time, after 5 seconds at the latest: buffer=64k flush=5s.';

        if ($log->said === null) {
            return $fix("{$text} It takes an access_log in http, with the path that nginx was built with: nginx -V tells it.", []);
        }

        if ($log->hasVariablesInPath()) {
            $one = "Change `{$log->said->text()};` in {$log->said->where()} to one path without a variable.";

            return $fix('Write one log, with the variable in its lines, and a buffer: buffer=64k flush=5s.', [new ByHand($one)]);
        }

        $arguments = [...$log->said->arguments, ...(count($log->said->arguments) === 1 ? ['combined'] : []), 'buffer=64k', 'flush=5s'];

        return $fix($text, Change::edits(Change::to($log->said, Change::written('access_log', $arguments))));
    }
}
