<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Edits\NginxChange;

/**
 * How many files the workers of an nginx may open: worker_rlimit_nofile, or the limit that nginx was started with.
 *
 * @internal
 */
final readonly class WorkerRlimit
{
    public function __construct(private NginxServer $nginx) {}

    /**
     * @return array{int, int} the pid of the worker with the lowest limit, and the limit
     *
     * @throws FactUnavailable
     */
    public function lowest(): array
    {
        $limits = array_filter($this->nginx->master->workers, static fn (?int $limit): bool => $limit !== null);

        if ($limits === []) {
            throw FactUnavailable::because(
                'The limits of the workers of nginx cannot be read.',
                'for p in $(pgrep -f "nginx: worker"); do sudo grep "open files" /proc/$p/limits; done',
            );
        }

        return [array_keys($limits, min($limits), true)[0], min($limits)];
    }

    /** Whether each worker may open this number of files; false if the limit of one is not known. */
    public function allows(int $files): bool
    {
        foreach ($this->nginx->master->workers as $limit) {
            if ($limit === null || $limit < $files) {
                return false;
            }
        }

        return $this->nginx->master->workers !== [];
    }

    public function raisedTo(int $files): NginxChange
    {
        $rlimit = $this->nginx->facts->workerRlimitNofile()?->directive;
        $place = $this->nginx->facts->workerProcesses()->directive;
        $text = "worker_rlimit_nofile {$files}";

        return match (true) {
            $rlimit !== null => NginxChange::to($rlimit, $text),
            $place !== null && $place->file !== Parser::GLOBALS => NginxChange::before($place, $text),
            default => NginxChange::outside($this->nginx->facts->config, $text),
        };
    }
}
