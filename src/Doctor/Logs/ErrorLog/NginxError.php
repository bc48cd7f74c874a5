<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * @internal
 */
enum NginxError: string implements ErrorKind
{
    case TimeoutConnecting = 'upstream_timeout_connecting';
    case TimeoutHeader = 'upstream_timeout_header';
    case TimeoutOther = 'upstream_timeout_other';
    case BacklogFull = 'upstream_backlog_full';
    case Refused = 'upstream_refused';
    case SocketMissing = 'upstream_socket_missing';
    case SocketForbidden = 'upstream_socket_forbidden';
    case NoLocalPort = 'upstream_no_local_port';
    case Unreachable = 'upstream_unreachable';
    case Reset = 'upstream_reset';
    case Closed = 'upstream_closed';
    case NoneLive = 'upstream_none_live';
    case UpstreamFailed = 'upstream_failed';
    case NotResolved = 'upstream_not_resolved';
    case HeaderTooBig = 'upstream_header_too_big';
    case InvalidAnswer = 'upstream_invalid_answer';
    case ResponseBuffered = 'response_to_temporary_file';
    case ScriptUnknown = 'primary_script_unknown';
    case ScriptDenied = 'script_access_denied';
    case PhpMessage = 'php_message';
    case WorkerConnections = 'worker_connections';
    case OpenFiles = 'too_many_open_files';
    case DiskFull = 'disk_full';
    case SystemCall = 'nginx_system_call';
    case WorkerDied = 'nginx_worker_died';
    case AddressInUse = 'address_in_use';
    case SharedMemory = 'shared_memory_full';
    case RateLimited = 'rate_limited';
    case BodyTooLarge = 'body_too_large';
    case RequestBuffered = 'request_to_temporary_file';
    case RewriteLoop = 'rewrite_loop';
    case FileMissing = 'file_missing';
    case Forbidden = 'access_forbidden';
    case Tls = 'tls';
    case ClientGone = 'client_gone';
    case Configuration = 'nginx_configuration';
    case Notice = 'nginx_notice';
    case Other = 'nginx_other';

    public function code(): string
    {
        return $this->value;
    }

    public function meaning(): string
    {
        return match ($this) {
            self::TimeoutConnecting => 'PHP-FPM did not take the connection in time: its listen queue is full (TCP),'
                .' or the network drops packets.',
            self::TimeoutHeader => 'No response within fastcgi_read_timeout (or proxy_read_timeout):'
                .' PHP was still running, or the request still waited for a free FPM child.',
            self::TimeoutOther =>
                'A response that had begun, or a request that was being sent, paused for longer than the timeout.',
            self::BacklogFull => "The listen queue of FPM's Unix socket was full, and nginx answered 502 at once:"
                .' all children were busy and listen.backlog requests waited.',
            self::Refused => 'No process listens there: FPM is down, was restarting, or listens elsewhere.',
            self::SocketMissing =>
                'The socket file is missing: FPM is down, or nginx has another path than the pool.',
            self::SocketForbidden => "nginx's user may not open the socket.",
            self::NoLocalPort => 'No local port was free for a connection there: too many connections were opened and'
                .' closed within the last minute.',
            self::Unreachable => 'The network has no route to that host.',
            self::Reset => 'The FPM child ended during the request: it crashed, was killed'
                .' (request_terminate_timeout, out of memory), or reached pm.max_requests on a keepalive connection.',
            self::Closed => 'The FPM child closed the connection before a complete response: it crashed, was killed'
                .' (request_terminate_timeout, out of memory), or reached pm.max_requests on a keepalive connection.',
            self::NoneLive =>
                'All servers of the upstream were marked as failed, and nginx answered 502 without asking one.',
            self::UpstreamFailed => 'A connection to an upstream failed with another system error.',
            self::NotResolved => 'The name of an upstream could not be resolved.',
            self::HeaderTooBig => 'The header of a response was larger than fastcgi_buffer_size, often because of'
                .' cookies, and nginx answered 502.',
            self::InvalidAnswer => 'The upstream sent a response that nginx does not understand.',
            self::ResponseBuffered => 'A response did not fit the buffers, and nginx wrote it to a file on disk.',
            self::ScriptUnknown =>
                'FPM did not find the script that nginx named: SCRIPT_FILENAME is wrong, or FPM does not'
                    .' see the file.',
            self::ScriptDenied => 'FPM refused a script by its suffix (security.limit_extensions).',
            self::PhpMessage => 'PHP wrote an error, a warning or a notice to its log, which goes to nginx.',
            self::WorkerConnections =>
                'An nginx worker had all its connections in use. Each request takes two: client and upstream.',
            self::OpenFiles => 'nginx reached its limit of open files and sockets.',
            self::DiskFull => 'The disk is full.',
            self::SystemCall => 'A system call of nginx failed with another error.',
            self::WorkerDied => 'A worker process of nginx crashed.',
            self::AddressInUse => 'Another process uses the address that nginx should listen on.',
            self::SharedMemory => 'A shared memory zone (limits, TLS sessions, cache keys) was full.',
            self::RateLimited =>
                'Requests or connections beyond a limit of this configuration were delayed or rejected.',
            self::BodyTooLarge => 'A request body was larger than client_max_body_size, and nginx answered 413.',
            self::RequestBuffered =>
                'A request body did not fit client_body_buffer_size, and nginx wrote it to a file on disk.',
            self::RewriteLoop => 'nginx redirected a request internally too many times, and answered 500.',
            self::FileMissing => 'A requested file does not exist.',
            self::Forbidden => 'A rule or the permissions of a file forbade access.',
            self::Tls => 'A TLS handshake or connection failed.',
            self::ClientGone => 'A client closed the connection before the response, often because it took too long.',
            self::Configuration => 'nginx complained about its configuration.',
            self::Notice => "Messages about nginx's own processes.",
            self::Other => 'A message of no kind above.',
        };
    }

    public function next(): string
    {
        return match ($this) {
            self::TimeoutConnecting => 'Look at the queue while it happens (ss -ltn: Recv-Q of the FPM port) and at'
                .' TcpExt ListenOverflows (nstat -az). The slow log shows what the children wait for.',
            self::TimeoutHeader => "Enable FPM's slow log with request_slowlog_timeout = 2s for a test, and read it"
                .' with the command logs:slow. If it stays empty, requests wait for a child:'
                .' ss -xl (Recv-Q of the FPM socket).',
            self::TimeoutOther => 'Look at those URIs: streamed responses, or uploads from slow clients.',
            self::BacklogFull => 'A longer backlog only makes more requests wait. The slow log shows what the children'
                .' wait for. Raise pm.max_children only if CPU and memory are free.',
            self::Refused, self::SocketMissing =>
                "Read FPM's own log of that time, and compare fastcgi_pass with listen of the pool (php-fpm -tt).",
            self::SocketForbidden =>
                "Set listen.owner, listen.group and listen.mode of the pool so that nginx's user may write to it.",
            self::NoLocalPort => 'Count connections in TIME-WAIT (ss -tan state time-wait | wc -l) and keep connections'
                .' open instead of opening one per request.',
            self::Unreachable => 'Check the routes and firewalls between the two hosts.',
            self::Reset, self::Closed => "Read FPM's error log of the same second with this command:"
                .' exited on signal 11 (crash), 9 (out of memory), "terminating" (time limit). If it has none, compare'
                .' pm.max_requests with keepalive_requests.',
            self::NoneLive => 'The lines before it have the cause: timeouts, refused connections.',
            self::UpstreamFailed => 'Look up the number below for the system that nginx runs on (command errno, of '
                .'moreutils), and compare fastcgi_pass with listen of the pool.',
            self::NotResolved => 'Check the resolver directive, and DNS.',
            self::HeaderTooBig => 'Raise fastcgi_buffer_size to 16k or 32k (and fastcgi_buffers with it), and find out'
                .' what makes the headers so large.',
            self::InvalidAnswer => 'Check that fastcgi_pass points to FPM, and proxy_pass to an HTTP server.',
            self::ResponseBuffered => 'Raise fastcgi_buffers (8 4k by default) if these responses are frequent.'
                .' Send downloads with X-Accel-Redirect.',
            self::ScriptUnknown, self::ScriptDenied => 'Compare root and SCRIPT_FILENAME with the path as FPM sees it'
                .' (another container, chroot, a symbolic link of a deploy).',
            self::PhpMessage => "Read the messages. Set error_log of the pool to keep them out of nginx's log.",
            self::WorkerConnections =>
                'Raise worker_connections, and worker_rlimit_nofile to at least twice that number.',
            self::OpenFiles => 'Raise worker_rlimit_nofile and LimitNOFILE of the unit.',
            self::DiskFull => 'Free space: df -h and df -i of the temporary paths and of the logs.',
            self::SystemCall => 'Look up the number below for the system that nginx runs on (command errno, of '
                .'moreutils), and the file or address in the lines.',
            self::WorkerDied => 'Look for a core dump, and check third-party modules.',
            self::AddressInUse => 'Check which process listens: ss -ltnp.',
            self::SharedMemory => 'Enlarge the zone that the line names.',
            self::RateLimited => 'Check by the URIs and the access log whether these are attackers or users.',
            self::BodyTooLarge =>
                'Raise client_max_body_size, together with post_max_size and upload_max_filesize of PHP.',
            self::RequestBuffered => 'Raise client_body_buffer_size if these requests are frequent.',
            self::RewriteLoop => 'Check try_files and error_page: the last fallback must exist.',
            self::FileMissing, self::Forbidden => 'Look at the URIs: scanners, or an asset that a deployment omitted.',
            self::Tls =>
                'A few are normal (scanners, old clients). If there are many, check certificate, protocols and clocks.',
            self::ClientGone => 'Compare with response times: clients give up after some seconds.',
            self::Configuration => 'Run nginx -t.',
            self::Notice, self::Other => '',
        };
    }
}
