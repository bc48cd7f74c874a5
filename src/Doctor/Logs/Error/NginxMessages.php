<?php

declare(strict_types=1);

namespace Headroom\Doctor\Logs\Error;

/**
 * Which words mean what. Upstream's messages come from src/http/ngx_http_upstream.c and src/event/ngx_event_connect.c,
 * with the system's number in brackets (errno of Linux).
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
        'FastCGI sent in stderr' => NginxError::PhpMessage,
        'upstream sent' => NginxError::InvalidAnswer,
        'unexpected FastCGI record' => NginxError::InvalidAnswer,
        'upstream response is buffered to a temporary file' => NginxError::ResponseBuffered,
        'client request body is buffered to a temporary file' => NginxError::RequestBuffered,
        'worker_connections are not enough' => NginxError::WorkerConnections,
        '(24: Too many open files' => NginxError::OpenFiles,
        '(23: Too many open files' => NginxError::OpenFiles,
        '(28: No space left' => NginxError::DiskFull,
        'exited on signal' => NginxError::WorkerDied,
        '(98: Address already in use' => NginxError::AddressInUse,
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

    /** Of a connection or transfer that failed, by the system's number. */
    private const NUMBERS = [
        '(11:' => NginxError::BacklogFull,
        '(111:' => NginxError::Refused,
        '(2:' => NginxError::SocketMissing,
        '(13:' => NginxError::SocketForbidden,
        '(99:' => NginxError::NoLocalPort,
        '(113:' => NginxError::Unreachable,
        '(101:' => NginxError::Unreachable,
        '(110:' => NginxError::TimeoutConnecting,
        '(104:' => NginxError::Reset,
        '(32:' => NginxError::Reset,
    ];

    /** @var array<string, NginxError> */
    private array $known = [];

    /** @param string $message without who asked for what */
    public function kind(string $message, string $level): NginxError
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

    private function find(string $message, string $level): NginxError
    {
        if (str_starts_with($message, 'upstream timed out')) {
            return match (true) {
                str_contains($message, 'while connecting to upstream') => NginxError::TimeoutConnecting,
                str_contains($message, 'while reading response header') => NginxError::TimeoutHeader,
                default => NginxError::TimeoutOther,
            };
        }

        $isUpstream = str_contains($message, 'upstream');

        // nginx says "connect() to unix:/run/php-fpm.sock failed (11: ...) while connecting to upstream".
        if ($isUpstream && preg_match('/\b(?:connect|recv|send|readv|writev|sendfile)\(\)[^(]* failed (\(\d+:)/', $message, $m) === 1 && isset(self::NUMBERS[$m[1]])) {
            return self::NUMBERS[$m[1]];
        }

        foreach (self::WORDS as $words => $kind) {
            if (str_contains($message, $words)) {
                return $kind;
            }
        }

        return match (true) {
            in_array($level, ['notice', 'info', 'debug'], true) => NginxError::Notice,
            str_contains($message, '(2: No such file') => NginxError::FileMissing,
            str_contains($message, '(13: Permission denied') => NginxError::Forbidden,
            $level === 'emerg', str_contains($message, 'conflicting server name') => NginxError::Configuration,
            default => NginxError::Other,
        };
    }
}
