<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Directives\ErrorLogFile;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Units;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class ResponsesToDisk implements ServerCheck
{
    private const MANY = 10;

    private const BYTES = 1_048_576;

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $logs = [];
        $passes = [];

        foreach ($nginx->facts->passes() as $pass) {
            // Without buffering nothing can be written to a file.
            foreach ($pass->buffering->is('on') ? $this->logs($nginx, $pass) : [] as $log) {
                $logs[$log->path] ??= $log;
                $passes[$log->path][] = $pass;
            }
        }

        $findings = [];

        foreach ($logs as $path => $log) {
            try {
                $finding = $this->finding($nginx, $log, $passes[$path]);
            } catch (FactUnavailable $e) {
                $finding = Finding::unavailable($e);
            }

            $findings[] = $finding->about($path);
        }

        return $findings;
    }

    /** @return list<ErrorLogFile> */
    private function logs(NginxServer $nginx, FastcgiPass $pass): array
    {
        $logs = $nginx->errorLogs($pass->said->parent ?? $pass->said);

        return $logs === []
            ? throw FactUnavailable::because(
                'No error_log is set, and where nginx writes by itself it was built with.',
                "nginx -V 2>&1 | tr ' ' '\\n' | grep error-log-path",
            )
            : $logs;
    }

    /** @param non-empty-list<FastcgiPass> $passes */
    private function finding(NginxServer $nginx, ErrorLogFile $log, array $passes): Finding
    {
        $spills = $nginx->spills($log);
        $evidence = [
            new Evidence(
                'answers through a file',
                "{$spills->count}, by the workers that run now",
                "the last lines of {$log->path}",
            ),
            new Evidence(
                'fastcgi_buffers',
                implode(' ', $passes[0]->buffers->arguments ?? []),
                $passes[0]->buffers->source,
            ),
        ];

        if ($spills->count < self::MANY) {
            return Finding::pass('answers fit the buffers', ...$evidence)->withConfidence(Confidence::Observed);
        }

        foreach ($spills->uris as $uri => $count) {
            $evidence[] = new Evidence(
                $uri === '' ? 'request not told' : TerminalText::name((string) $uri),
                (string) $count,
                $log->path,
            );
        }

        $changes = array_merge(...array_map($this->changes(...), $passes));

        return Finding::warn(
            "{$spills->count} answers did not fit the buffers, the last one at {$spills->last}.",
            $evidence,
            'Each of them is written to disk and read again.',
            new Fix(
                'Let 1 MB of an answer wait in memory, of which nginx takes what it needs. Where these are downloads,'
                    .' leave it and send them with X-Accel-Redirect.',
                NginxChange::edits(...$changes),
                [$nginx->reload()],
                'Put the line back and reload nginx.',
            ),
        )->withConfidence(Confidence::Observed);
    }

    /**
     * More of the same size: what else depends on the size of one buffer stays right.
     *
     * @return list<NginxChange>
     */
    private function changes(FastcgiPass $pass): array
    {
        $count = Units::number($pass->buffers->arguments[0] ?? '');
        $size = $pass->buffers->arguments[1] ?? '';
        $bytes = Units::bytes($size);

        if ($count === null || $bytes === null || $bytes < 1) {
            return [];
        }

        $text = 'fastcgi_buffers '.max(2 * $count, (int) ceil(self::BYTES / $bytes))." {$size}";

        return [
            $pass->buffers->said === null
                ? NginxChange::before($pass->said, $text)
                : NginxChange::to($pass->buffers->said, $text),
        ];
    }
}
