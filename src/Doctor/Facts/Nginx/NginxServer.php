<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Nginx;

use Headroom\Doctor\HasUnread;
use Headroom\Doctor\UnknownFact;

use function array_keys;
use function array_map;
use function str_starts_with;

/**
 * An nginx that runs and whose configuration is known.
 *
 * @internal
 */
final readonly class NginxServer implements HasUnread
{
    public function __construct(
        public NginxFacts $facts,
        public Master $master,
        private TrafficOfLogs $traffic = new TrafficOfLogs,
    ) {}

    public function unread(): array
    {
        $unread = [];

        foreach ($this->facts->config->misreads as $misread) {
            if ($misread->isLost) {
                $unread[$misread->where()] = UnknownFact::because(
                    "A part of nginx's configuration is not known: {$misread->text()}.",
                    'sudo cat '.escapeshellarg(
                        preg_match('~\A/[^*?\[]+\z~', $misread->token) === 1 ? $misread->token : $misread->file,
                    ),
                );
            }
        }

        return $unread;
    }

    /** That has it read its configuration again. */
    public function reload(): string
    {
        return $this->master->reload();
    }

    /** That has it listen again. */
    public function restart(): string
    {
        return $this->master->restart();
    }

    /**
     * @return list<ErrorLog> where a place's errors go, as nginx inherits it; none where nobody says it, as the path
     *     then is one that nginx was built with
     */
    public function errorLogs(Directive $place): array
    {
        return array_map(ErrorLog::fromDirective(...), $this->facts->config->nearest('error_log', $place));
    }

    /**
     * Answers that went through a file since nginx has read its configuration.
     *
     * @throws UnknownFact
     */
    public function spills(ErrorLog $log): Spills
    {
        return Spills::in($log, array_keys($this->master->workers));
    }

    /** @throws UnknownFact */
    public function traffic(AccessLog $log): Traffic
    {
        return $this->traffic->in($log, $this->facts->logFormat($log->format));
    }

    /**
     * @return Directive the root that holds at a place
     *
     * @throws UnknownFact where only a request tells
     */
    public function root(Directive $place): Directive
    {
        $said = $this->facts->config->nearest('root', $place)[0] ?? throw UnknownFact::because(
            'No root is set, and the one that nginx was built with is not known.',
            'sudo nginx -T | grep root',
        );
        $path = $said->argument(0) ?? '';

        return str_starts_with($path, '/') && Variables::in($path) === []
            ? $said
            : throw UnknownFact::because(
                "The root {$path} ({$said->where()}) is no path from /.",
                'sudo nginx -T | grep root',
            );
    }

    /** @throws UnknownFact */
    public function release(Directive $root): ?ScriptRoot
    {
        return ScriptRoot::at($root->argument(0) ?? '');
    }
}
