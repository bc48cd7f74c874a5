<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * @internal
 */
final class UnableToQueryPool extends RuntimeException implements HeadroomException
{
    /** Prints the configuration of PHP-FPM, with the binary and the file of the oldest master. */
    public const DUMP = 'm=$(pgrep -u root -of "^php-fpm: master"); sudo "$(sudo readlink /proc/$m/exe)" -tt -y "$(tr'
        .' -d "\\0" </proc/$m/cmdline | sed "s/.*(\(.*\)).*/\1/")" 2>&1';

    // errno(3) of Linux, as stream_socket_client() returns it.
    private const NO_ENTRY = 2;

    private const TRY_AGAIN = 11;

    private const NO_ACCESS = 13;

    private const TIMED_OUT = 110;

    private const REFUSED = 111;

    /** @param string $command that shows more about the failure */
    private function __construct(
        public readonly FastCgiFailure $failure,
        string $message,
        public readonly string $command,
    ) {
        parent::__construct($message);
    }

    public static function noAddress(string $text): self
    {
        return new self(
            FastCgiFailure::NoAddress,
            "'{$text}' is not an address of a pool. Write a socket's path such as /run/php/php-fpm.sock,"
                .' or host:port such as 127.0.0.1:9000.',
            self::DUMP." | grep 'listen ='",
        );
    }

    /** @param int $pid of the process that listens at the address */
    public static function elsewhere(Address $address, int $pid): self
    {
        return new self(
            FastCgiFailure::Unreachable,
            "PHP-FPM {$pid} listens at {$address->text()} in another network namespace, such as a container's."
                .' Run this command in that namespace.',
            "sudo nsenter -t {$pid} -n ss -ltnp",
        );
    }

    public static function connecting(Address $address, int $errno, string $words, int $millis): self
    {
        $at = $address->text();
        $shows = $address->isUnix() ? "ss -xlp src {$at}" : "ss -ltnp 'sport = :{$address->port}'";

        return match ($errno) {
            self::NO_ENTRY => new self(
                FastCgiFailure::NoSocket,
                "There is no socket {$at}: PHP-FPM does not run, or listens elsewhere.",
                'ss -xlp | grep php-fpm',
            ),
            self::NO_ACCESS => new self(
                FastCgiFailure::NotPermitted,
                "This user may not connect to {$at}: the pool's listen.owner, listen.group and listen.mode,"
                    ." or the directory's mode, forbid it. Run as the web server's user or as root.",
                "ls -l {$at}; namei -l {$at}",
            ),
            self::REFUSED => new self(
                FastCgiFailure::Refused,
                "No process listens at {$at}: connection refused. PHP-FPM was stopped or listens elsewhere.",
                $shows,
            ),
            self::TRY_AGAIN => new self(
                FastCgiFailure::QueueFull,
                "The queue of {$at} is full: the kernel refused the connection at once (errno 11), and nginx"
                    .' answers 502 in that case. All workers are busy and listen.backlog connections wait.',
                $shows,
            ),
            self::TIMED_OUT => new self(
                FastCgiFailure::ConnectTimedOut,
                "{$at} did not accept the connection within {$millis} ms. Over TCP, the pool's queue is full or a"
                    .' firewall drops packets.',
                $shows,
            ),
            default => new self(
                FastCgiFailure::Unreachable,
                "{$at} cannot be reached: {$words} (errno {$errno}).",
                $shows,
            ),
        };
    }

    public static function silent(Address $address, int $millis, int $bytes): self
    {
        return new self(
            FastCgiFailure::ReadTimedOut,
            $bytes === 0
                ? "{$address->text()} accepted the connection and sent nothing within {$millis} ms:"
                    .' all workers of the pool are busy, or idle keepalive connections hold them.'
                : "{$address->text()} sent {$bytes} bytes and then nothing within {$millis} ms.",
            self::queueOf($address),
        );
    }

    public static function brokeOff(Address $address, int $bytes): self
    {
        return new self(
            FastCgiFailure::BrokeOff,
            "{$address->text()} closed the connection after {$bytes} bytes, before the answer was complete:"
                .' the worker was ended, or, with 0 bytes, listen.allowed_clients does not name this client.',
            'sudo tail -n 50 "$('.self::DUMP.' | sed -n "s/.*error_log = //p")"',
        );
    }

    public static function notFastCgi(Address $address, string $seen): self
    {
        return new self(
            FastCgiFailure::NotFastCgi,
            "The process that listens at {$address->text()} does not speak FastCGI: {$seen}.",
            self::queueOf($address),
        );
    }

    public static function tooLong(Address $address, int $limit): self
    {
        return new self(
            FastCgiFailure::TooLong,
            "{$address->text()} answers with more than {$limit} bytes; the rest was not read.",
            self::queueOf($address),
        );
    }

    /** @param int $status protocolStatus of FCGI_END_REQUEST: 1 cannot multiplex, 2 overloaded, 3 unknown role */
    public static function declined(Address $address, int $status): self
    {
        return new self(
            FastCgiFailure::Declined,
            "{$address->text()} declined the request with the FastCGI status {$status}".match ($status) {
                1 => ' (it takes one request per connection)',
                2 => ' (overloaded)',
                3 => ' (unknown role)',
                default => '',
            }.'.',
            self::queueOf($address),
        );
    }

    public static function scriptNotFound(Address $address, string $script, string $words): self
    {
        return new self(
            FastCgiFailure::ScriptNotFound,
            "The pool at {$address->text()} does not find {$script}: {$words}. The pool may have no such status path,"
                ." the script may lie outside its chroot, open_basedir or private /tmp, or the pool's user may"
                .' not read it.',
            self::DUMP." | grep -E 'listen =|status_path|chroot|open_basedir|user ='",
        );
    }

    public static function extensionNotAllowed(Address $address, string $script, string $words): self
    {
        return new self(
            FastCgiFailure::ExtensionNotAllowed,
            "The pool at {$address->text()} does not run {$script}: {$words}.",
            self::DUMP.' | grep security.limit_extensions',
        );
    }

    private static function queueOf(Address $address): string
    {
        return $address->isUnix() ? "ss -xlp src {$address->text()}" : "ss -ltnp 'sport = :{$address->port}'";
    }
}
