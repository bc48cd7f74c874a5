<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs\ErrorLog;

use Headroom\Doctor\Logs\ErrorLog\ErrorLogSummary;
use Headroom\Doctor\Logs\ErrorLog\NginxError;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A system error has one meaning on every system and in every language.
 */
#[Group('logs')]
final class ErrnoTest extends TestCase
{
    private const LINUX = [
        2 => NginxError::SocketMissing, 11 => NginxError::BacklogFull, 13 => NginxError::SocketForbidden,
        24 => NginxError::OpenFiles, 28 => NginxError::DiskFull, 32 => NginxError::Reset, 99 => NginxError::NoLocalPort,
        101 => NginxError::Unreachable, 104 => NginxError::Reset, 110 => NginxError::TimeoutConnecting,
        111 => NginxError::Refused, 113 => NginxError::Unreachable,
    ];

    /** Some of which say what another number means. */
    private const ANY_WORDS = [
        '',
        'Permiso denegado',
        'Connexion refusée',
        '接続を拒否されました',
        'Unknown error',
        'Host is unreachable',
        'No error information',
        'x (y) z',
    ];

    /** @return iterable<string, array{string, NginxError}> the text in brackets */
    public static function elsewhere(): iterable
    {
        yield 'BSD refused' => ['61: Connection refused', NginxError::Refused];
        yield 'BSD timed out' => ['60: Operation timed out', NginxError::TimeoutConnecting];
        yield 'BSD reset' => ['54: Connection reset by peer', NginxError::Reset];
        yield 'BSD backlog' => ['35: Resource temporarily unavailable', NginxError::BacklogFull];
        yield 'BSD ports' => ["49: Can't assign requested address", NginxError::NoLocalPort];
        yield 'BSD route' => ['65: No route to host', NginxError::Unreachable];
        yield 'BSD host' => ['64: Host is down', NginxError::Unreachable];
        yield 'BSD in another language' => ['61: Conexión rechazada', NginxError::Refused];
        yield 'Solaris refused' => ['146: Connection refused', NginxError::Refused];
        yield 'Solaris timed out' => ['145: Connection timed out', NginxError::TimeoutConnecting];
        yield 'Windows refused' => [
            '10061: No connection could be made because the target machine actively refused it',
            NginxError::Refused,
        ];
        yield 'Windows timed out' => [
            '10060: A connection attempt failed because the connected party did not properly respond after a period '
                .'of time',
            NginxError::TimeoutConnecting,
        ];
        yield 'Windows reset' => [
            '10054: An existing connection was forcibly closed by the remote host',
            NginxError::Reset,
        ];
        yield 'Windows in German' => ['10061: Es konnte keine Verbindung hergestellt werden', NginxError::Refused];
        yield 'MIPS, whose numbers are its own' => ['149: Address not available', NginxError::NoLocalPort];
        yield 'words of musl' => ['999: Host is unreachable', NginxError::Unreachable];
        yield 'words of musl for a network' => ['999: Network unreachable', NginxError::Unreachable];
        yield 'words of musl for files' => ['999: No file descriptors available', NginxError::OpenFiles];
    }

    #[Test]
    public function a_number_of_linux_decides_before_the_words(): void
    {
        foreach (self::LINUX as $number => $kind) {
            foreach (self::ANY_WORDS as $words) {
                self::assertKind(
                    $kind,
                    "connect() to unix:/run/fpm.sock failed ({$number}: {$words}) while connecting to upstream",
                );
            }
        }

        foreach (self::ANY_WORDS as $words) {
            self::assertKind(NginxError::FileMissing, "open() \"/srv/x\" failed (2: {$words})");
            self::assertKind(NginxError::Forbidden, "open() \"/srv/x\" failed (13: {$words})");
            self::assertKind(NginxError::OpenFiles, "accept4() failed (24: {$words})");
            self::assertKind(NginxError::DiskFull, "pwrite() \"/x\" failed (28: {$words})");
            self::assertKind(NginxError::AddressInUse, "bind() to 0.0.0.0:80 failed (98: {$words})", 'emerg');
        }
    }

    #[Test]
    #[DataProvider('elsewhere')]
    public function numbers_of_other_systems_are_known(string $said, NginxError $kind): void
    {
        self::assertKind($kind, "connect() failed ({$said}) while connecting to upstream");
    }

    #[Test]
    public function an_unknown_number_is_named_and_has_a_next_step(): void
    {
        foreach ([
            'connect() failed (97: Address family not supported by protocol) while connecting to upstream' => [
                NginxError::UpstreamFailed,
                '97: Address family not supported by protocol',
            ],
            'recv() failed (4242: ) while reading response header from upstream' => [
                NginxError::UpstreamFailed,
                '4242',
            ],
            'writev() failed (71: Error de (algún) protocolo) while sending request to upstream' => [
                NginxError::UpstreamFailed,
                '71: Error de (algún) protocolo',
            ],
            'open() "/srv/x" failed (40: Symbolic link loop)' => [NginxError::SystemCall, '40: Symbolic link loop'],
            'mkdir() "/var/cache/x" failed (5: I/O error)' => [NginxError::SystemCall, '5: I/O error'],
        ] as $message => [$kind, $detail]) {
            $summary = self::assertKind($kind, $message);

            self::assertSame($detail, $summary->of($kind)->details->ranking()[0]->name);
            self::assertNotSame('', $kind->next());
        }
    }

    private static function assertKind(NginxError $kind, string $message, string $level = 'error'): ErrorLogSummary
    {
        $summary = new ErrorLogSummary;
        $by = ', client: 203.0.113.9, server: shop.test, request: "GET / HTTP/1.1", upstream: '
            .'"fastcgi://unix:/run/fpm.sock:"';
        $summary->reader()->read(["2026/03/14 09:41:07 [{$level}] 1#1: *7 {$message}{$by}"]);
        self::assertSame([$kind->code()], array_keys($summary->kinds), $message);

        return $summary;
    }
}
