<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Directives\ErrorLogFile;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\Directives\ScriptRoot;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\Edits\NginxEdits;
use Headroom\Doctor\Nginx\Variables\VariableNames;

/**
 * An nginx that runs and whose configuration is known.
 *
 * @internal
 */
final readonly class NginxServer
{
    public function __construct(
        public NginxFacts $facts,
        public NginxMaster $master,
        private AccessLogTraffic $traffic = new AccessLogTraffic,
    ) {}

    /**
     * A fix that a reload makes effective.
     *
     * @param array<?NginxChange> $changes null is left out
     */
    public function fix(array $changes, string $text = ''): Fix
    {
        $known = array_filter($changes, static fn (?NginxChange $change): bool => $change !== null);

        return new Fix($text, NginxEdits::edits(array_values($known)), [$this->reload()]);
    }

    public function directiveEvidence(Directive $directive): Evidence
    {
        return $this->evidence(NginxSetting::fromDirective($directive));
    }

    /** The directive with another value: the line that sets it, or a new line before the other directive. */
    public function set(NginxSetting $setting, Directive $before, string $value): NginxChange
    {
        $text = "{$setting->name} {$value}";

        return NginxChange::ofSetting($setting, $text) ?? NginxChange::before($before, $text);
    }

    /** @param string $block whose directive it is, such as ' of upstream php'; '' for the place of the finding */
    public function evidence(NginxSetting $setting, string $block = ''): Evidence
    {
        $value = $setting->arguments === null ? 'not known' : implode(' ', $setting->arguments);

        return new Evidence("{$setting->name}{$block}", $value, $setting->source);
    }

    /** @throws FactUnavailable */
    public function workers(): int
    {
        return $this->facts->workers() ?? throw FactUnavailable::because(
            'worker_processes of nginx is not a number.',
            'sudo nginx -T | grep worker_processes',
        );
    }

    /** The command that makes nginx read its configuration again. */
    public function reload(): string
    {
        return $this->master->reload();
    }

    /** The command that makes nginx open its sockets again. */
    public function restart(): string
    {
        return $this->master->restart();
    }

    /**
     * @return non-empty-list<ErrorLogFile> where the errors of a place go, as nginx inherits them
     *
     * @throws FactUnavailable without an error_log, because nginx then writes to a path that it was built with
     */
    public function errorLogs(Directive $place): array
    {
        $logs = array_map(ErrorLogFile::fromDirective(...), $this->facts->config->nearest('error_log', $place));

        return $logs === [] ? throw FactUnavailable::because(
            'No error_log is set, and the path that nginx was built with is not known.',
            "nginx -V 2>&1 | tr ' ' '\\n' | grep error-log-path",
        ) : $logs;
    }

    /**
     * Responses that went through a temporary file since nginx last read its configuration.
     *
     * @throws FactUnavailable
     */
    public function spills(ErrorLogFile $log): BufferedResponses
    {
        return BufferedResponses::in($log, array_keys($this->master->workers));
    }

    /** @throws FactUnavailable */
    public function traffic(AccessLog $log): LoggedTraffic
    {
        return $this->traffic->in($log, $this->facts->logFormat($log->format));
    }

    /**
     * @return Directive the root of a place
     *
     * @throws FactUnavailable if it is known only with a request
     */
    public function root(Directive $place): Directive
    {
        $directive = $this->facts->config->nearest('root', $place)[0] ?? throw FactUnavailable::because(
            'No root is set, and the one that nginx was built with is not known.',
            'sudo nginx -T | grep root',
        );
        $path = $directive->argument(0) ?? '';

        return str_starts_with($path, '/') && VariableNames::in($path) === []
            ? $directive
            : throw FactUnavailable::because(
                "The root {$path} ({$directive->where()}) is not an absolute path.",
                'sudo nginx -T | grep root',
            );
    }

    /** @throws FactUnavailable */
    public function release(Directive $root): ?ScriptRoot
    {
        return ScriptRoot::at($root->argument(0) ?? '');
    }
}
