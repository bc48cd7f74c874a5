<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs;

use Headroom\Doctor\Logs\ErrorLog\ErrorKind;
use Headroom\Doctor\Logs\ErrorLog\FpmError;
use Headroom\Doctor\Logs\ErrorLog\NginxError;

/**
 * A line of each kind that nginx and FPM write to an error log.
 */
final readonly class ErrorLines
{
    public const BY = ', client: 203.0.113.9, server: shop.test, request: "GET /videos?page=2 HTTP/1.1", upstream:'
        .' "fastcgi://unix:/run/php/fpm.sock:", host: "shop.test"';

    public const TIMEOUT = '2026/03/14 09:41:07 [error] 2371#2371: *114153 upstream timed out (110:'
        .' Connection timed out) while reading response header from upstream'.self::BY;

    /** Of a request. */
    private const MESSAGES = [
        'upstream timed out (110: Connection timed out) while connecting to upstream' => NginxError::TimeoutConnecting,
        'upstream timed out (110: Connection timed out) while reading response header'
            .' from upstream' => NginxError::TimeoutHeader,
        'upstream timed out (110: Connection timed out) while reading upstream' => NginxError::TimeoutOther,
        'upstream timed out (110: Connection timed out) while sending request to upstream' => NginxError::TimeoutOther,
        'connect() to unix:/run/php/fpm.sock failed (11: Resource temporarily unavailable) while connecting'
            .' to upstream' => NginxError::BacklogFull,
        'connect() failed (111: Connection refused) while connecting to upstream' => NginxError::Refused,
        'connect() to unix:/run/php/fpm.sock failed (111: Connection refused) while connecting'
            .' to upstream' => NginxError::Refused,
        'connect() to unix:/run/php/fpm.sock failed (2: No such file or directory) while connecting'
            .' to upstream' => NginxError::SocketMissing,
        'connect() to unix:/run/php/fpm.sock failed (13: Permission denied) while connecting'
            .' to upstream' => NginxError::SocketForbidden,
        'connect() to 10.0.0.2:9000 failed (99: Cannot assign requested address) while connecting'
            .' to upstream' => NginxError::NoLocalPort,
        'connect() failed (113: No route to host) while connecting to upstream' => NginxError::Unreachable,
        'connect() failed (110: Connection timed out) while connecting to upstream' => NginxError::TimeoutConnecting,
        'recv() failed (104: Connection reset by peer) while reading response header'
            .' from upstream' => NginxError::Reset,
        'readv() failed (104: Connection reset by peer) while reading upstream' => NginxError::Reset,
        'writev() failed (32: Broken pipe) while sending request to upstream' => NginxError::Reset,
        'upstream prematurely closed connection while reading response header from upstream' => NginxError::Closed,
        'upstream prematurely closed FastCGI stdout while reading response header from upstream' => NginxError::Closed,
        'connect() failed (71: Protocol error) while connecting to upstream' => NginxError::UpstreamFailed,
        'no live upstreams while connecting to upstream' => NginxError::NoneLive,
        'php.internal could not be resolved (3: Host not found)' => NginxError::NotResolved,
        'upstream sent too big header while reading response header from upstream' => NginxError::HeaderTooBig,
        'upstream sent unsupported FastCGI protocol version: 72 while reading response header'
            .' from upstream' => NginxError::InvalidAnswer,
        'upstream sent no valid HTTP/1.0 header while reading response header'
            .' from upstream' => NginxError::InvalidAnswer,
        'FastCGI sent in stderr: "Primary script unknown" while reading response header'
            .' from upstream' => NginxError::ScriptUnknown,
        'FastCGI sent in stderr: "Access to the script \'/a.txt\' has been denied (see security.limit_extensions)"'
            .' while reading response header from upstream' => NginxError::ScriptDenied,
        'FastCGI sent in stderr: "PHP message: PHP Warning:  x in /a.php on line 3" while reading response header'
            .' from upstream' => NginxError::PhpMessage,
        'client intended to send too large body: 9437184 bytes' => NginxError::BodyTooLarge,
        'limiting requests, excess: 5.412 by zone "login"' => NginxError::RateLimited,
        'limiting connections by zone "addr"' => NginxError::RateLimited,
        'rewrite or internal redirection cycle while internally redirecting to "/index.php"' => NginxError::RewriteLoop,
        'open() "/srv/shop/public/favicon.ico" failed (2: No such file or directory)' => NginxError::FileMissing,
        'open() "/srv/shop/public/x" failed (13: Permission denied)' => NginxError::Forbidden,
        'open() "/srv/shop/public/x" failed (24: Too many open files)' => NginxError::OpenFiles,
        'accept4() failed (24: Too many open files)' => NginxError::OpenFiles,
        'access forbidden by rule' => NginxError::Forbidden,
        'directory index of "/srv/shop/public/" is forbidden' => NginxError::Forbidden,
        'pwrite() "/var/lib/nginx/body/0000000001" failed (28: No space left on device)' => NginxError::DiskFull,
        'open() "/srv/shop/public/x" failed (40: Too many levels of symbolic links)' => NginxError::SystemCall,
        'something unheard of' => NginxError::Other,
    ];

    /** @return iterable<string, array{string, ErrorKind}> */
    public static function ofNginx(): iterable
    {
        $nginx = self::nginx(...);

        foreach (self::MESSAGES as $message => $kind) {
            yield $message => [$nginx($message), $kind];
        }

        yield 'response to disk' => [
            $nginx(
                'an upstream response is buffered to a temporary file /var/lib/nginx/fastcgi/1/00/0000000001 while'
                    .' reading upstream',
                'warn',
            ),
            NginxError::ResponseBuffered,
        ];
        yield 'request to disk' => [
            $nginx('a client request body is buffered to a temporary file /var/lib/nginx/body/0000000001', 'warn'),
            NginxError::RequestBuffered,
        ];
        yield 'client away' => [
            $nginx(
                'client prematurely closed connection, so upstream connection is closed too while sending request'
                    .' to upstream',
                'info',
            ),
            NginxError::ClientGone,
        ];
        yield 'client away while waiting' => [
            $nginx(
                'epoll_wait() reported that client prematurely closed connection, so upstream connection is closed too'
                    .' (104: Connection reset by peer) while connecting to upstream',
                'info',
            ),
            NginxError::ClientGone,
        ];
        yield 'client away between requests' => [
            self::nginx('recv() failed (104: Connection reset by peer) while waiting for request', 'info'),
            NginxError::ClientGone,
        ];
        yield 'client away in the answer' => [
            self::nginx('writev() failed (32: Broken pipe) while sending to client', 'info'), NginxError::ClientGone,
        ];
        yield 'handshake' => [
            $nginx(
                'SSL_do_handshake() failed (SSL: error:0A00006C:SSL routines::bad key share) while SSL handshaking',
                'crit',
                ', client: 203.0.113.9, server: 0.0.0.0:443',
            ),
            NginxError::Tls,
        ];
        yield 'connections' => [
            '2026/03/14 09:41:07 [alert] 2371#2371: 512 worker_connections are not enough',
            NginxError::WorkerConnections,
        ];
        yield 'nginx crash' => [
            '2026/03/14 09:41:07 [alert] 2370#2370: worker process 2371 exited on signal 11 (core dumped)',
            NginxError::WorkerDied,
        ];
        yield 'bind' => [
            '2026/03/14 09:41:07 [emerg] 1#1: bind() to 0.0.0.0:80 failed (98: Address already in use)',
            NginxError::AddressInUse,
        ];
        yield 'zone' => [
            '2026/03/14 09:41:07 [crit] 1#1: ngx_slab_alloc() failed: no memory in vhost zone "login"',
            NginxError::SharedMemory,
        ];
        yield 'configuration' => [
            '2026/03/14 09:41:07 [emerg] 1#1: unknown directive "servr" in /etc/nginx/nginx.conf:3',
            NginxError::Configuration,
        ];
        yield 'configuration, two servers' => [
            '2026/03/14 09:41:07 [warn] 1#1: conflicting server name "shop.test" on 0.0.0.0:80, ignored',
            NginxError::Configuration,
        ];
        yield 'nginx process' => ['2026/03/14 09:41:07 [notice] 1#1: start worker process 2371', NginxError::Notice];
    }

    /** @return iterable<string, array{string, ErrorKind}> */
    public static function ofFpm(): iterable
    {
        $fpm = static fn (string $text): string => "[14-Mar-2026 09:41:07] {$text}";
        $slow = "[pool www] child 8, script '/srv/shop/public/index.php' (request: \"GET /index.php?x=1\")";

        yield 'max_children' => [
            $fpm('WARNING: [pool www] server reached pm.max_children setting (25), consider raising it'),
            FpmError::MaxChildren,
        ];
        yield 'max_children, ondemand' => [
            $fpm('WARNING: [pool www] server reached max_children setting (25), consider raising it'),
            FpmError::MaxChildren,
        ];
        yield 'process.max' => [
            $fpm(
                'WARNING: The maximum number of processes has been reached. Please review your configuration and'
                    ." consider raising 'process.max'",
            ),
            FpmError::ProcessMax,
        ];
        yield 'busy' => [
            $fpm(
                'WARNING: [pool www] seems busy (you may need to increase pm.start_servers,'
                    .' or pm.min/max_spare_servers), spawning 16 children, there are 0 idle, and 21 total children',
            ),
            FpmError::Busy,
        ];
        yield 'slow' => [$fpm("WARNING: {$slow} executing too slow (2.123456 sec), logging"), FpmError::Slow];
        yield 'terminated' => [
            $fpm("WARNING: {$slow} execution timed out (30.1 sec), terminating"), FpmError::Terminated,
        ];
        yield 'crash' => [
            $fpm(
                'WARNING: [pool www] child 8 exited on signal 11 (SIGSEGV - core dumped) after 4.2 seconds from start',
            ),
            FpmError::Crashed,
        ];
        yield 'killed' => [
            $fpm('WARNING: [pool www] child 8 exited on signal 9 (SIGKILL) after 4.2 seconds from start'),
            FpmError::Killed,
        ];
        yield 'ended' => [
            $fpm('WARNING: [pool www] child 8 exited on signal 15 (SIGTERM) after 4.2 seconds from start'),
            FpmError::Ended,
        ];
        yield 'code' => [
            $fpm('WARNING: [pool www] child 8 exited with code 255 after 4.2 seconds from start'), FpmError::ExitCode,
        ];
        yield 'recycled' => [
            $fpm('NOTICE: [pool www] child 8 exited with code 0 after 4852.680364 seconds from start'),
            FpmError::Lifecycle,
        ];
        yield 'asked to finish' => [
            $fpm('NOTICE: [pool www] child 8 exited on signal 3 (SIGQUIT) after 4.2 seconds from start'),
            FpmError::Lifecycle,
        ];
        yield 'started' => [$fpm('NOTICE: [pool www] child 9 started'), FpmError::Lifecycle];
        yield 'traced' => [$fpm('NOTICE: about to trace 8'), FpmError::Traced];
        yield 'stopped' => [$fpm('NOTICE: child 8 stopped for tracing'), FpmError::Traced];
        yield 'trace failed' => [
            $fpm('ERROR: failed to ptrace(ATTACH) child 8: Operation not permitted (1)'), FpmError::TraceFailed,
        ];
        yield 'trace failed by /proc' => [
            $fpm('ERROR: failed to open /proc/8/mem: Permission denied (13)'), FpmError::TraceFailed,
        ];
        yield 'slow log' => [
            $fpm('ERROR: unable to open slowlog (/var/log/fpm/slow.log): No such file or directory (2)'),
            FpmError::SlowlogUnwritable,
        ];
        yield 'output' => [
            $fpm('WARNING: [pool www] child 8 said into stderr: "NOTICE: PHP message: hello"'), FpmError::Output,
        ];
        yield 'emergency' => [
            $fpm('WARNING: failed processes threshold (5 in 60 sec) is reached, initiating reload'),
            FpmError::EmergencyRestart,
        ];
        yield 'fork' => [$fpm('ERROR: fork() failed: Resource temporarily unavailable (11)'), FpmError::ForkFailed];
        yield 'listen' => [
            $fpm("ERROR: unable to bind listening socket for address '127.0.0.1:9000': Address already in use (98)"),
            FpmError::Listen,
        ];
        yield 'second master' => [
            $fpm('ERROR: Another FPM instance seems to already listen on /run/fpm.sock'), FpmError::Listen,
        ];
        yield 'configuration of FPM' => [
            $fpm("ERROR: [/etc/php/fpm.conf:3] unknown entry 'pm.max'"), FpmError::Configuration,
        ];
        yield 'ready' => [$fpm('NOTICE: ready to handle connections'), FpmError::Lifecycle];
        yield 'other of FPM' => [$fpm('ALERT: oops, unknown child (8) exited'), FpmError::Other];
        yield 'debug' => [
            '[14-Mar-2026 09:41:07.123456] WARNING: pid 3, fpm_children_bury(), line 273: [pool www] child 8 exited on'
                .' signal 9 (SIGKILL) after 4.2 seconds from start',
            FpmError::Killed,
        ];

        yield 'memory_limit' => [
            '[14-Mar-2026 09:41:07 UTC] PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to'
                .' allocate 20480 bytes) in /a.php on line 3',
            FpmError::PhpMemory,
        ];
        yield 'max_execution_time' => [
            '[14-Mar-2026 09:41:07 Europe/Berlin] PHP Fatal error:  Maximum execution time of 30 seconds exceeded in'
                .' /a.php on line 3',
            FpmError::PhpTime,
        ];
        yield 'fatal' => [
            '[14-Mar-2026 09:41:07 UTC] PHP Fatal error:  Uncaught Error: x in /a.php:3', FpmError::PhpFatal,
        ];
        yield 'warning' => [
            '[14-Mar-2026 09:41:07 UTC] PHP Warning:  Undefined variable $a in /a.php on line 3', FpmError::PhpMessage,
        ];
    }

    private static function nginx(string $message, string $level = 'error', string $by = self::BY): string
    {
        return "2026/03/14 09:41:07 [{$level}] 2371#2371: *7 {$message}{$by}";
    }
}
