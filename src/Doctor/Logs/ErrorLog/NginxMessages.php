<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\ErrorLog;

/**
 * Which words mean what. Upstream's messages come from src/http/ngx_http_upstream.c and src/event/ngx_event_connect.c,
 * with the system's number in brackets.
 *
 * @internal
 */
final class NginxMessages
{
    private const MOST = 1_024;

    private const LONGEST = 300;

    /** In this order: the first that is found counts. */
    private const WORDS = [
        'no live upstreams' => NginxError::NoneLive,
        'upstream prematurely closed' => NginxError::Closed,
        'upstream sent too big header' => NginxError::HeaderTooBig,
        'Primary script unknown' => NginxError::ScriptUnknown,
        'security.limit_extensions' => NginxError::ScriptDenied,
        'upstream sent' => NginxError::InvalidAnswer,
        'unexpected FastCGI record' => NginxError::InvalidAnswer,
        'upstream response is buffered to a temporary file' => NginxError::ResponseBuffered,
        'client request body is buffered to a temporary file' => NginxError::RequestBuffered,
        'worker_connections are not enough' => NginxError::WorkerConnections,
        'exited on signal' => NginxError::WorkerDied,
        'ngx_slab_alloc() failed' => NginxError::SharedMemory,
        'could not allocate new session' => NginxError::SharedMemory,
        'could not allocate node' => NginxError::SharedMemory,
        'limiting requests' => NginxError::RateLimited,
        'delaying request' => NginxError::RateLimited,
        'limiting connections' => NginxError::RateLimited,
        'client intended to send too large' => NginxError::BodyTooLarge,
        'rewrite or internal redirection cycle' => NginxError::RewriteLoop,
        'could not be resolved' => NginxError::NotResolved,
        'host not found in upstream' => NginxError::NotResolved,
        'no resolver defined' => NginxError::NotResolved,
        'access forbidden by rule' => NginxError::Forbidden,
        'directory index of' => NginxError::Forbidden,
        'client prematurely closed' => NginxError::ClientGone,
        'client closed' => NginxError::ClientGone,
        'client timed out' => NginxError::ClientGone,
        'client sent' => NginxError::ClientGone,
        'while waiting for request' => NginxError::ClientGone,
        'while reading client request' => NginxError::ClientGone,
        'while sending response to client' => NginxError::ClientGone,
        'while sending to client' => NginxError::ClientGone,
        'while keepalive' => NginxError::ClientGone,
        'peer closed connection in SSL handshake' => NginxError::Tls,
        'SSL' => NginxError::Tls,
    ];

    private const OF_PHP = 'FastCGI sent in stderr: "';

    /** "(111: Connection refused)" */
    private const ERRNO = '/ failed \((\d{1,6}): ((?:[^()]++|\([^()]*+\))*+)\)?/';

    private const TRANSFER = '/\b(?:connect|recv|send|readv|writev|sendfile|getsockopt|WSA\w+)\(\)[^(]* failed \(\d/';

    /** @var array<string, ErrorKind> */
    private array $known = [];

    /** @param string $message without who asked for what */
    public function kind(string $message, string $level): ErrorKind
    {
        // The frequent ones are always the same.
        $key = "{$level} {$message}";

        if (isset($this->known[$key])) {
            return $this->known[$key];
        }

        // And these, never the same, are the most frequent of all.
        if (str_starts_with($message, 'open() "') && str_ends_with($message, '(2: No such file or directory)')) {
            return NginxError::FileMissing;
        }

        $kind = $this->find($message, $level);

        if (strlen($key) <= self::LONGEST) {
            $this->known = count($this->known) < self::MOST ? $this->known : [];
            $this->known[$key] = $kind;
        }

        return $kind;
    }

    /** Whether a message is PHP's, which may have several lines. */
    public static function isOfPhp(string $message): bool
    {
        return str_starts_with($message, self::OF_PHP);
    }

    /** The place in a script, or what the system said. */
    public function detail(string $message, ErrorKind $kind): ?string
    {
        if ($kind instanceof FpmError) {
            return PhpMessage::parse(self::text($message))?->place;
        }

        return preg_match(self::ERRNO, $message, $m) === 1 ? trim("{$m[1]}: {$m[2]}", ' :') : null;
    }

    private function find(string $message, string $level): ErrorKind
    {
        if (str_starts_with($message, 'upstream timed out')) {
            return self::timeout($message);
        }

        $hasErrno = preg_match(self::ERRNO, $message, $m) === 1;
        $errno = $hasErrno ? Errno::of((int) $m[1], $m[2]) : null;

        // nginx says "connect() to unix:/run/php-fpm.sock failed (11: ...) while connecting to upstream".
        if ($hasErrno && str_contains($message, 'upstream') && preg_match(self::TRANSFER, $message) === 1) {
            return self::ofUpstream($errno, $message);
        }

        if (self::isOfPhp($message)) {
            return self::ofPhp($message);
        }

        return self::ofMachine($errno) ?? self::byWords($message) ?? match (true) {
            in_array($level, ['notice', 'info', 'debug'], true) => NginxError::Notice,
            $errno === Errno::NotFound => NginxError::FileMissing,
            $errno === Errno::Forbidden => NginxError::Forbidden,
            $level === 'emerg', str_contains($message, 'conflicting server name') => NginxError::Configuration,
            $hasErrno => NginxError::SystemCall,
            default => NginxError::Other,
        };
    }

    private static function timeout(string $message): NginxError
    {
        return match (true) {
            str_contains($message, 'while connecting to upstream') => NginxError::TimeoutConnecting,
            str_contains($message, 'while reading response header') => NginxError::TimeoutHeader,
            default => NginxError::TimeoutOther,
        };
    }

    private static function ofUpstream(?Errno $errno, string $message): NginxError
    {
        return self::ofMachine($errno) ?? match ($errno) {
            Errno::Again => NginxError::BacklogFull,
            Errno::Refused => NginxError::Refused,
            Errno::NotFound => NginxError::SocketMissing,
            Errno::Forbidden => NginxError::SocketForbidden,
            Errno::NoLocalPort => NginxError::NoLocalPort,
            Errno::Unreachable => NginxError::Unreachable,
            Errno::TimedOut => self::timeout($message),
            Errno::Reset => NginxError::Reset,
            default => NginxError::UpstreamFailed,
        };
    }

    /** What the machine has run out of, for any call. */
    private static function ofMachine(?Errno $errno): ?NginxError
    {
        return match ($errno) {
            Errno::TooManyFiles => NginxError::OpenFiles,
            Errno::NoSpace => NginxError::DiskFull,
            Errno::AddressInUse => NginxError::AddressInUse,
            default => null,
        };
    }

    private static function byWords(string $message): ?NginxError
    {
        foreach (self::WORDS as $words => $kind) {
            if (str_contains($message, $words)) {
                return $kind;
            }
        }

        return null;
    }

    private static function text(string $message): string
    {
        $end = strrpos($message, '" while ');

        return substr($message, strlen(self::OF_PHP), $end === false ? null : $end - strlen(self::OF_PHP));
    }

    private static function ofPhp(string $message): ErrorKind
    {
        $php = PhpMessage::parse(self::text($message))?->kind;
        $fpm = str_contains($message, 'PHP message: ') ? null : self::byWords($message);

        if ($fpm === NginxError::ScriptUnknown || $fpm === NginxError::ScriptDenied) {
            return $fpm;
        }

        return $php === null || $php === FpmError::PhpMessage ? NginxError::PhpMessage : $php;
    }
}
