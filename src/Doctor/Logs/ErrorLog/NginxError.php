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
            self::TimeoutHeader => 'No answer within fastcgi_read_timeout (or proxy_read_timeout):'
                .' PHP still worked on it, or the request still waited for a free FPM child.',
            self::TimeoutOther =>
                'An answer that had begun, or a request that was being sent, stood still for longer than the timeout.',
            self::BacklogFull => "The listen queue of FPM's Unix socket was full, and nginx answered 502 at once:"
                .' all children were busy and listen.backlog requests waited.',
            self::Refused => 'Nobody listens there: FPM is down, was being restarted, or listens elsewhere.',
            self::SocketMissing =>
                'The socket file is not there: FPM is down, or nginx has another path than the pool.',
            self::SocketForbidden => "nginx's user may not open the socket.",
            self::NoLocalPort => 'No local port was left for a connection there: too many were opened and closed within'
                .' the last minute.',
            self::Unreachable => 'There is no way through the network to that host.',
            self::Reset => 'The FPM child ended while it had the request:'
                .' it crashed, was killed (request_terminate_timeout, out of memory), or reached pm.max_requests on a'
                .' kept connection.',
            self::Closed => 'The FPM child closed the connection without a whole answer:'
                .' it crashed, was killed (request_terminate_timeout, out of memory), or reached pm.max_requests on a'
                .' kept connection.',
            self::NoneLive =>
                'nginx has put all servers of the upstream aside after failures, and answered 502 without asking one.',
            self::UpstreamFailed => 'A connection to an upstream failed with a system error without a kind of its own.',
            self::NotResolved => 'The name of an upstream could not be resolved.',
            self::HeaderTooBig => 'The header of an answer was larger than fastcgi_buffer_size, often because of'
                .' cookies, and nginx answered 502.',
            self::InvalidAnswer => 'What came back was no answer that nginx understands.',
            self::ResponseBuffered => 'An answer did not fit the buffers and went through a file on disk.',
            self::ScriptUnknown => 'FPM did not find the script that nginx named: SCRIPT_FILENAME is wrong, or the file'
                .' is not there for FPM.',
            self::ScriptDenied => 'FPM refused a script by its suffix (security.limit_extensions).',
            self::PhpMessage => 'PHP wrote an error, a warning or a notice to its log, which goes to nginx.',
            self::WorkerConnections =>
                'An nginx worker had all its connections in use; each request takes two, one on each side.',
            self::OpenFiles => 'nginx had as many files and sockets open as it may.',
            self::DiskFull => 'The disk is full.',
            self::SystemCall => 'A system call of nginx failed with an error without a kind of its own.',
            self::WorkerDied => 'A worker process of nginx crashed.',
            self::AddressInUse => 'The address nginx should listen on is taken.',
            self::SharedMemory => 'A shared memory zone (limits, TLS sessions, cache keys) was full.',
            self::RateLimited =>
                'Requests or connections beyond a limit of this configuration were held back or refused.',
            self::BodyTooLarge => 'A request was larger than client_max_body_size and got 413.',
            self::RequestBuffered =>
                'The body of a request did not fit client_body_buffer_size and went through a file on disk.',
            self::RewriteLoop => 'A request was redirected inside nginx again and again, and got 500.',
            self::FileMissing => 'A file that was asked for is not there.',
            self::Forbidden => 'A rule or the permissions of a file forbade access.',
            self::Tls => 'A TLS handshake or connection failed.',
            self::ClientGone => 'A client went away before its answer, often because it took too long.',
            self::Configuration => 'nginx complained about its configuration.',
            self::Notice => "News of nginx's own processes.",
            self::Other => 'Something else.',
        };
    }

    public function next(): string
    {
        return match ($this) {
            self::TimeoutConnecting => 'Look at the queue while it happens (ss -ltn: Recv-Q of the FPM port) and at'
                .' TcpExt ListenOverflows (nstat -az); find out what children wait for with the slow log.',
            self::TimeoutHeader => "Switch on FPM's slow log with request_slowlog_timeout = 2s for a test and read it"
                .' with the command logs:slow; if it stays empty, requests wait for a child:'
                .' ss -xl (Recv-Q of the FPM socket).',
            self::TimeoutOther => 'Look at those URIs: answers that are streamed, or uploads from slow clients.',
            self::BacklogFull => 'More backlog only makes more of them wait. Find out with the slow log what the'
                .' children wait for; raise pm.max_children only if CPU and memory are free.',
            self::Refused, self::SocketMissing =>
                "Look at FPM's own log at that time, and compare fastcgi_pass with listen of the pool (php-fpm -tt).",
            self::SocketForbidden =>
                "Set listen.owner, listen.group and listen.mode of the pool so that nginx's user may write to it.",
            self::NoLocalPort => 'Count connections in TIME-WAIT (ss -tan state time-wait | wc -l) and keep connections'
                .' open instead of opening one per request.',
            self::Unreachable => 'Look at routes and firewalls between the two hosts.',
            self::Reset, self::Closed => "Read FPM's error log of the same second with this command:"
                .' exited on signal 11 (crash), 9 (out of memory), "terminating" (time limit). Nothing there:'
                .' compare pm.max_requests with keepalive_requests.',
            self::NoneLive => 'The cause is in the lines just before: timeouts, refusals.',
            self::UpstreamFailed => 'Look up the number below for the system that nginx runs on (command errno, of '
                .'moreutils), and compare fastcgi_pass with listen of the pool.',
            self::NotResolved => 'Look at the resolver directive and at DNS.',
            self::HeaderTooBig => 'Raise fastcgi_buffer_size to 16k or 32k (and fastcgi_buffers with it), and see what'
                .' makes headers so large.',
            self::InvalidAnswer => 'See whether fastcgi_pass speaks to FPM and proxy_pass to an HTTP server.',
            self::ResponseBuffered => 'Raise fastcgi_buffers (8 4k by default) if these answers are frequent;'
                .' downloads are better sent with X-Accel-Redirect.',
            self::ScriptUnknown, self::ScriptDenied => 'Compare root and SCRIPT_FILENAME with the path as FPM sees it'
                .' (another container, chroot, a symbolic link of a deploy).',
            self::PhpMessage => "Look at the messages; set error_log of the pool to keep them out of nginx's log.",
            self::WorkerConnections => 'Raise worker_connections, and worker_rlimit_nofile to at least twice of it.',
            self::OpenFiles => 'Raise worker_rlimit_nofile and LimitNOFILE of the unit.',
            self::DiskFull => 'Free space: df -h and df -i of the temporary paths and of the logs.',
            self::SystemCall => 'Look up the number below for the system that nginx runs on (command errno, of '
                .'moreutils), and the file or address in the lines.',
            self::WorkerDied => 'Look for a core dump, and for third-party modules.',
            self::AddressInUse => 'See who listens: ss -ltnp.',
            self::SharedMemory => 'Make the zone named in the line larger.',
            self::RateLimited => 'See whether these are attackers or users: the URIs and the access log.',
            self::BodyTooLarge =>
                'Raise client_max_body_size, together with post_max_size and upload_max_filesize of PHP.',
            self::RequestBuffered => 'Raise client_body_buffer_size if these requests are frequent.',
            self::RewriteLoop => 'Look at try_files and error_page: the last fallback must exist.',
            self::FileMissing, self::Forbidden => 'Look at the URIs: scanners, or an asset that a deploy forgot.',
            self::Tls => 'A few are normal (scanners, old clients). Many: look at certificate, protocols, and clocks.',
            self::ClientGone => 'Compare with response times: clients give up after some seconds.',
            self::Configuration => 'Run nginx -t.',
            self::Notice, self::Other => '',
        };
    }
}
