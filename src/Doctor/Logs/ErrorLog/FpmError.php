<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * Of the log of PHP-FPM's master, and of PHP's own where both go to one file.
 *
 * @internal
 */
enum FpmError: string implements ErrorKind
{
    case MaxChildren = 'fpm_max_children';
    case ProcessMax = 'fpm_process_max';
    case Busy = 'fpm_seems_busy';
    case Slow = 'fpm_slow_request';
    case Terminated = 'fpm_terminated';
    case TraceFailed = 'fpm_trace_failed';
    case SlowlogUnwritable = 'fpm_slowlog_unwritable';
    case Crashed = 'fpm_child_crashed';
    case Killed = 'fpm_child_killed';
    case ExitCode = 'fpm_child_exit_code';
    case Ended = 'fpm_child_ended';
    case EmergencyRestart = 'fpm_emergency_restart';
    case ForkFailed = 'fpm_fork_failed';
    case Listen = 'fpm_listen';
    case Output = 'fpm_child_output';
    case Traced = 'fpm_traced';
    case Lifecycle = 'fpm_lifecycle';
    case Configuration = 'fpm_configuration';
    case Other = 'fpm_other';
    case PhpMemory = 'php_memory_limit';
    case PhpTime = 'php_time_limit';
    case PhpFatal = 'php_fatal';
    case PhpMessage = 'php_log_message';

    public function code(): string
    {
        return $this->value;
    }

    public function meaning(): string
    {
        return match ($this) {
            self::MaxChildren => 'All children of the pool were busy and it may have no more (pm.max_children):'
                .' further requests waited.',
            self::ProcessMax => 'All pools together had as many children as process.max allows.',
            self::Busy =>
                'Requests came faster than idle children were there, and FPM started more, twice as many each second.',
            self::Slow => 'A request took longer than request_slowlog_timeout, and its trace went to the slow log.',
            self::Terminated => 'A request took longer than request_terminate_timeout, and FPM killed the child with'
                .' it: nginx answered 502.',
            self::TraceFailed =>
                'FPM may not look into its children, so the slow log has no traces: ptrace is not permitted.',
            self::SlowlogUnwritable => 'FPM could not open the slow log.',
            self::Crashed => 'A child crashed; the request it had got 502.',
            self::Killed => 'A child was killed from outside with SIGKILL, most often by the kernel when memory ran'
                .' out; the request it had got 502.',
            self::ExitCode => 'A child ended with an error.',
            self::Ended => 'A signal ended a child: a time limit, a reload, or a user.',
            self::EmergencyRestart =>
                'So many children crashed that FPM restarted itself (emergency_restart_threshold).',
            self::ForkFailed => 'The kernel gave FPM no further process: memory or a limit on processes.',
            self::Listen => 'FPM could not listen on its address.',
            self::Output => 'A child wrote to its standard output or error.',
            self::Traced => 'FPM looked into a slow child.',
            self::Lifecycle => 'News of processes that come and go: children that are recycled, reloads.',
            self::Configuration => 'FPM complained about its configuration.',
            self::Other => 'Something else.',
            self::PhpMemory => 'A script needed more than memory_limit.',
            self::PhpTime =>
                'A script computed for longer than max_execution_time; waiting does not count there on Linux.',
            self::PhpFatal => 'A script ended with a fatal error.',
            self::PhpMessage => 'PHP logged a warning or notice.',
        };
    }

    public function next(): string
    {
        return match ($this) {
            self::MaxChildren, self::ProcessMax => 'Look first at what children wait for (slow log, command logs:slow)'
                .' and whether the CPU is idle meanwhile. More children help only where CPU and memory are free:'
                .' memory / (PSS of a child).',
            self::Busy => 'Raise pm.min_spare_servers and pm.start_servers, or use pm = static on a host of its own.',
            self::Slow => 'Read the slow log with the command logs:slow.',
            self::Terminated => 'Find out with the slow log what these URIs wait for; give calls to other servers'
                .' timeouts below this one.',
            self::TraceFailed => 'In Docker add --cap-add SYS_PTRACE for the test;'
                .' elsewhere look at kernel.yama.ptrace_scope and process.dumpable.',
            self::SlowlogUnwritable => 'Make the directory of slowlog; the master opens it, as root on most machines.',
            self::Crashed => 'Look which extension is to blame: a core dump (rlimit_core), or switch off one after the'
                .' other; update PHP.',
            self::Killed => 'Look for the OOM killer (dmesg -T | grep -i oom, oom_kill of the cgroup), then lower'
                .' pm.max_children or add memory.',
            self::ExitCode => 'Look at the lines around it, and at the PHP log of that second.',
            self::Ended =>
                'At the time of a reload: set process_control_timeout to 10s or more, so that requests are finished.',
            self::EmergencyRestart => 'See what crashed: the lines before.',
            self::ForkFailed => 'Look at free memory, pids.max of the cgroup and LimitNPROC.',
            self::Listen => 'See who listens (ss -lxp, ss -ltnp) and whether an old master still runs.',
            self::Output => 'See what it says; catch_workers_output brings it here.',
            self::Configuration => 'Run php-fpm -tt.',
            self::PhpMemory => 'Let the script named below need less: read rows with lazy() or chunk() instead of '
                .'all at once, and move imports and exports to a queued job. Raise memory_limit only while '
                ."pm.max_children times it fits the machine's memory.",
            self::PhpTime => 'Profile the script named below: on Linux the limit counts computing, not waiting. Move '
                .'long work to a queued job, or give this script alone more with set_time_limit(), below '
                .'request_terminate_timeout and fastcgi_read_timeout.',
            self::PhpFatal => 'Look at the messages; the places that they name are below.',
            self::Traced, self::Lifecycle, self::Other, self::PhpMessage => '',
        };
    }
}
