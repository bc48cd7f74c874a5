<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class OpenFiles implements ServerCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $said = $nginx->facts->workerConnections();
        $each = $said->number() ?? throw FactUnavailable::because(
            "worker_connections is not known: {$said->source}.",
            'sudo nginx -T | grep worker_connections',
        );
        $limits = array_filter($nginx->master->workers, static fn (?int $limit): bool => $limit !== null);

        if ($limits === []) {
            throw FactUnavailable::because(
                'The limits of the workers of nginx can not be read.',
                'for p in $(pgrep -f "nginx: worker"); do sudo grep "open files" /proc/$p/limits; done',
            );
        }

        $pid = array_keys($limits, min($limits), true)[0];
        $evidence = [
            new Evidence('worker_connections', (string) $each, $said->source),
            new Evidence('open files of a worker', (string) $limits[$pid], "/proc/{$pid}/limits"),
        ];

        if ($limits[$pid] >= $each) {
            return [Finding::pass('it may open as many as it needs', ...$evidence)];
        }

        $files = 2 * FewConnections::after($nginx, $each);

        return [Finding::fail(
            "A worker may have {$each} connections and {$limits[$pid]} open files.",
            $evidence,
            'Clients wait although nginx has connections to spare.',
            self::fix($nginx, $files),
        )->withConfidence(Confidence::Observed)];
    }

    private static function fix(NginxServer $nginx, int $files): Fix
    {
        $said = $nginx->facts->workerRlimitNofile();
        $isAsked = ($said?->number() ?? 0) >= $files;
        $hard = 'Reload nginx where that line is new; else the hard limit that nginx was started with is lower: '
            ."set LimitNOFILE={$files} for its unit, or --ulimit nofile={$files} for its container, and restart it.";

        // Without CAP_SYS_RESOURCE, as in a container, a worker cannot have more than the hard limit of its master.
        return new Fix(
            $isAsked
                ? "worker_rlimit_nofile {$said?->value()}; stands in {$said?->source} already. {$hard}"
                : "Let it open {$files}: worker_rlimit_nofile {$files}; outside of all blocks of nginx.conf. "
                    .'Where its error '
                    .'log says "setrlimit(RLIMIT_NOFILE" then, the limit that it is started with has to be raised too.',
            $isAsked ? [] : NginxChange::edits(self::change($nginx, $files)),
            $isAsked ? ["grep 'open files' /proc/{$nginx->master->pid}/limits", $nginx->restart()] : [$nginx->reload()],
            $isAsked ? 'Set the limit back and restart nginx.' : 'Put the line back and reload nginx.',
        );
    }

    /** Whether each of its workers may open so many. */
    public static function allow(NginxServer $nginx, int $files): bool
    {
        foreach ($nginx->master->workers as $limit) {
            if ($limit === null || $limit < $files) {
                return false;
            }
        }

        return $nginx->master->workers !== [];
    }

    public static function change(NginxServer $nginx, int $files): NginxChange
    {
        $rlimit = $nginx->facts->workerRlimitNofile()?->said;
        $place = $nginx->facts->workerProcesses()->said;
        $text = "worker_rlimit_nofile {$files}";

        return match (true) {
            $rlimit !== null => NginxChange::to($rlimit, $text),
            $place !== null && $place->file !== Parser::GLOBALS => NginxChange::before($place, $text),
            default => NginxChange::outside($nginx->facts->config, $text),
        };
    }
}
