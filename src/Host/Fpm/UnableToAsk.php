<?php

declare(strict_types=1);

namespace Headroom\Host\Fpm;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * @internal
 */
final class UnableToAsk extends RuntimeException implements HeadroomException
{
    /** What PHP-FPM is configured to do, asked of the program and with the file that the oldest one runs with. */
    public const DUMP = 'm=$(pgrep -u root -of "^php-fpm: master"); sudo "$(sudo readlink /proc/$m/exe)" -tt -y "$(tr'
        .' -d "\\0" </proc/$m/cmdline | sed "s/.*(\(.*\)).*/\1/")" 2>&1';

    // errno(3) of Linux, as stream_socket_client() hands it on.
    private const NO_ENTRY = 2;

    private const TRY_AGAIN = 11;

    private const NO_ACCESS = 13;

    private const TIMED_OUT = 110;

    private const REFUSED = 111;

    /** @param string $command tells more about it */
    private function __construct(public readonly Refusal $refusal, string $message, public readonly string $command)
    {
        parent::__construct($message);
    }

    public static function noAddress(string $text): self
    {
        return new self(
            Refusal::NoAddress,
            "'{$text}' is no address of a pool. Write a socket's path such as /run/php/php-fpm.sock, or host:port such"
                .' as 127.0.0.1:9000.',
            self::DUMP." | grep 'listen ='",
        );
    }

    /** @param int $pid of the process that listens there */
    public static function elsewhere(Address $address, int $pid): self
    {
        return new self(
            Refusal::Unreachable,
            "PHP-FPM {$pid} listens at {$address->text()} of a network of its own, as in a container, which this"
                .' process is not in.',
            "sudo nsenter -t {$pid} -n ss -ltnp",
        );
    }

    public static function connecting(Address $address, int $errno, string $words, int $millis): self
    {
        $at = $address->text();
        $shows = $address->isUnix() ? "ss -xlp src {$at}" : "ss -ltnp 'sport = :{$address->port}'";

        return match ($errno) {
            self::NO_ENTRY => new self(
                Refusal::NoSocket,
                "There is no socket {$at}: PHP-FPM does not run, or listens elsewhere.",
                'ss -xlp | grep php-fpm',
            ),
            self::NO_ACCESS => new self(
                Refusal::NotPermitted,
                "This user may not connect to {$at}: the pool's listen.owner, listen.group and listen.mode,"
                    ." or the directory's mode, forbid it. Run as the web server's user or as root.",
                "ls -l {$at}; namei -l {$at}",
            ),
            self::REFUSED => new self(
                Refusal::Refused,
                "Nobody listens at {$at}: connection refused. PHP-FPM was stopped or listens elsewhere.",
                $shows,
            ),
            self::TRY_AGAIN => new self(
                Refusal::QueueFull,
                "The queue of {$at} is full: the kernel turned the connection away at once (errno 11), as it does with"
                    .' nginx, which answers 502. All workers are busy and listen.backlog connections wait.',
                $shows,
            ),
            self::TIMED_OUT => new self(
                Refusal::ConnectTimedOut,
                "{$at} did not take the connection within {$millis} ms. Over TCP that is what a full queue of the pool"
                    .' looks like, or a firewall that drops packets.',
                $shows,
            ),
            default => new self(Refusal::Unreachable, "{$at} can not be reached: {$words} (errno {$errno}).", $shows),
        };
    }

    public static function silent(Address $address, int $millis, int $bytes): self
    {
        return new self(
            Refusal::ReadTimedOut,
            $bytes === 0
                ? "{$address->text()} took the connection and said nothing within {$millis} ms:"
                    .' no worker of the pool was free to answer, all are busy or held by idle keepalive connections.'
                : "{$address->text()} sent {$bytes} bytes and then nothing until {$millis} ms were over.",
            self::queueOf($address),
        );
    }

    public static function brokeOff(Address $address, int $bytes): self
    {
        return new self(
            Refusal::BrokeOff,
            "{$address->text()} closed the connection after {$bytes} bytes, before the answer was complete:"
                .' the worker was ended, or, with 0 bytes, listen.allowed_clients does not name this client.',
            'sudo tail -n 50 "$('.self::DUMP.' | sed -n "s/.*error_log = //p")"',
        );
    }

    public static function notFastCgi(Address $address, string $seen): self
    {
        return new self(
            Refusal::NotFastCgi,
            "What listens at {$address->text()} does not speak FastCGI: {$seen}.",
            self::queueOf($address),
        );
    }

    public static function tooLong(Address $address, int $limit): self
    {
        return new self(
            Refusal::TooLong,
            "{$address->text()} answers with more than {$limit} bytes; the rest was not read.",
            self::queueOf($address),
        );
    }

    /** @param int $status protocolStatus of FCGI_END_REQUEST: 1 can not multiplex, 2 overloaded, 3 unknown role */
    public static function declined(Address $address, int $status): self
    {
        return new self(
            Refusal::Declined,
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
            Refusal::ScriptNotFound,
            "The pool at {$address->text()} finds no {$script}: {$words}. It may be no status path of this pool,"
                ." or lie outside of the pool's chroot, open_basedir or private /tmp, or not be readable to the"
                ." pool's user.",
            self::DUMP." | grep -E 'listen =|status_path|chroot|open_basedir|user ='",
        );
    }

    public static function extensionNotAllowed(Address $address, string $script, string $words): self
    {
        return new self(
            Refusal::ExtensionNotAllowed,
            "The pool at {$address->text()} does not run {$script}: {$words}.",
            self::DUMP.' | grep security.limit_extensions',
        );
    }

    private static function queueOf(Address $address): string
    {
        return $address->isUnix() ? "ss -xlp src {$address->text()}" : "ss -ltnp 'sport = :{$address->port}'";
    }
}
