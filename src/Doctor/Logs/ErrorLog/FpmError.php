<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * The kinds of lines of PHP-FPM's log, and of PHP's own log.
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
            self::MaxChildren => 'All children of the pool were busy and pm.max_children was reached: further requests'
                .' waited.',
            self::ProcessMax => 'All pools together reached process.max.',
            self::Busy =>
                'Requests arrived faster than children became idle, and FPM started more, twice as many each second.',
            self::Slow => 'A request took longer than request_slowlog_timeout, and its trace went to the slow log.',
            self::Terminated => 'A request took longer than request_terminate_timeout, and FPM killed the child with'
                .' it: nginx answered 502.',
            self::TraceFailed =>
                'FPM may not trace its children (ptrace), so the slow log has no traces.',
            self::SlowlogUnwritable => 'FPM could not open the slow log.',
            self::Crashed => 'A child crashed. Its request ended with 502.',
            self::Killed => 'Another process or the kernel killed a child with SIGKILL, most often the kernel when'
                .' memory ran out. Its request ended with 502.',
            self::ExitCode => 'A child ended with an error.',
            self::Ended => 'A signal ended a child: a time limit, a reload, or a user.',
            self::EmergencyRestart =>
                'FPM restarted itself because emergency_restart_threshold children had crashed.',
            self::ForkFailed => 'The kernel refused FPM another process: out of memory, or a limit on processes.',
            self::Listen => 'FPM could not listen on its address.',
            self::Output => 'A child wrote to its standard output or error.',
            self::Traced => 'FPM traced a slow child.',
            self::Lifecycle => 'Processes started and ended: recycled children, reloads.',
            self::Configuration => 'FPM complained about its configuration.',
            self::Other => 'A message of no kind above.',
            self::PhpMemory => 'A script needed more than memory_limit.',
            self::PhpTime =>
                'A script used more CPU time than max_execution_time. On Linux, waiting does not count.',
            self::PhpFatal => 'A script ended with a fatal error.',
            self::PhpMessage => 'PHP logged a warning or notice.',
        };
    }

    public function next(): string
    {
        return match ($this) {
            self::MaxChildren, self::ProcessMax => 'Look first at what the children wait for (slow log, command'
                .' logs:slow), and whether the CPU is idle at the same time. More children help only if CPU and memory'
                .' are free: memory / (PSS of a child).',
            self::Busy => 'Raise pm.min_spare_servers and pm.start_servers, or use pm = static on a host that only'
                .' runs this pool.',
            self::Slow => 'Read the slow log with the command logs:slow.',
            self::Terminated => 'The slow log shows what these URIs wait for. Give calls to other servers timeouts'
                .' below this one.',
            self::TraceFailed => 'In Docker, add --cap-add SYS_PTRACE for the test. Elsewhere, look at'
                .' kernel.yama.ptrace_scope and process.dumpable.',
            self::SlowlogUnwritable =>
                'Create the directory of slowlog. The master opens the file, as root on most machines.',
            self::Crashed => 'Find the extension: read a core dump (rlimit_core), or disable one extension after the'
                .' other. Update PHP.',
            self::Killed => 'Look for the OOM killer (dmesg -T | grep -i oom, oom_kill of the cgroup), then lower'
                .' pm.max_children or add memory.',
            self::ExitCode => 'Read the lines around it, and the PHP log of that second.',
            self::Ended =>
                'If it was a reload, set process_control_timeout to 10s or more, so that requests can finish.',
            self::EmergencyRestart => 'The lines before it name the children that crashed.',
            self::ForkFailed => 'Check free memory, pids.max of the cgroup, and LimitNPROC.',
            self::Listen => 'Check which process listens (ss -lxp, ss -ltnp), and whether an old master still runs.',
            self::Output => 'Read it. FPM writes it here because of catch_workers_output.',
            self::Configuration => 'Run php-fpm -tt.',
            self::PhpMemory =>
                'Lower the memory use of the script named below: read rows with lazy() or chunk() instead of '
                    .'all at once, and move imports and exports to a queued job. Raise memory_limit only if '
                    .'pm.max_children times memory_limit fits into memory.',
            self::PhpTime => 'Profile the script named below. Move '
                .'long work to a queued job, or raise the limit for this script with set_time_limit(), below '
                .'request_terminate_timeout and fastcgi_read_timeout.',
            self::PhpFatal => 'Read the messages. Their files and lines are below.',
            self::Traced, self::Lifecycle, self::Other, self::PhpMessage => '',
        };
    }
}
