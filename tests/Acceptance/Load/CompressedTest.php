<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * Captures and checks of answers that the server has compressed.
 */
#[RequiresPhpExtension('zlib')]
final class CompressedTest extends DirectoryTestCase
{
    private const PAGE = '<input name="_token" value="secret-token">';

    /** @return iterable<string, array{string, string}> header, and body */
    public static function readable(): iterable
    {
        yield 'gzip' => ['gzip', (string) gzencode(self::PAGE)];
        yield 'deflate in zlib' => ['deflate', (string) gzcompress(self::PAGE)];
        yield 'raw deflate' => ['deflate', (string) gzdeflate(self::PAGE)];
        yield 'both' => ['deflate, x-gzip', (string) gzencode((string) gzcompress(self::PAGE))];
        yield 'a character set for a coding' => ['utf-8', self::PAGE];
        yield 'no coding, with a name' => ['none', self::PAGE];
        yield 'one that is known beside it' => ['aws-chunked,gzip', (string) gzencode(self::PAGE)];
        yield 'a long rest behind it' => ['gzip', (string) gzencode(self::PAGE.str_repeat(' ', 40_000_000))];
    }

    #[Test, Group('day-1')]
    #[DataProvider('readable')]
    public function a_capture_and_a_check_see_the_page(string $coding, string $body): void
    {
        $capture = $this->capture($coding, $body, ['Accept-Encoding' => 'gzip, deflate, br']);
        $check = $this->check($coding, $body, 'secret-token');

        self::assertSame(
            [0, 0],
            [$capture->getExitCode(), $check->getExitCode()],
            $capture->getOutput().$check->getOutput(),
        );
        self::assertSame(
            [2, 0],
            [Headroom::result($capture)->at('scenario.completed'), Headroom::result($capture)->at('wrong_answers')],
        );
        // The bytes on the wire, still compressed.
        self::assertSame(2 * strlen($body), Headroom::result($check)->at('bytes_received'));
    }

    #[Test]
    public function a_text_that_is_not_in_the_page_is_no_fault_of_the_coding(): void
    {
        $check = Headroom::result($this->check('gzip', (string) gzencode(self::PAGE), 'no such text'));

        self::assertSame('unexpected_body', $check->at('failures.0.kind'));
        self::assertStringContainsString('gzip', $this->text($check->at('failures.0.message')));
    }

    /** @return iterable<string, array{string, string, string}> header, body, and what the failure names */
    public static function unreadable(): iterable
    {
        yield 'no such extension' => ['br', "\x0b\x02\x80hello\x03", extension_loaded('brotli') ? 'br' : 'brotli'];
        yield 'an unknown coding' => ['compress', "\x1f\x9d\x90", 'compress'];
        yield 'broken' => ['gzip', substr((string) gzencode(self::PAGE), 0, 30), 'gzip'];
        yield 'cut behind what a capture finds' => ['gzip', self::cut(), 'too early'];
        yield 'a lie' => ['gzip', self::PAGE, 'gzip'];
        yield 'a bomb' => ['gzip', (string) gzencode(str_repeat(' ', 40_000_000)), '16,777,216'];
    }

    #[Test, Group('day-2')]
    #[DataProvider('unreadable')]
    public function an_answer_that_cannot_be_decoded_is_a_failure_that_names_the_header(
        string $coding,
        string $body,
        string $named,
    ): void {
        $asked = $this->check($coding, $body, 'secret-token', '--header=accept-encoding: gzip');
        $unasked = $this->check($coding, $body, 'secret-token');

        foreach ([$asked, $unasked] as $process) {
            $result = Headroom::result($process);
            self::assertSame(
                [1, 2, 'body_not_decoded', 2],
                [
                    $process->getExitCode(),
                    $result->at('wrong_answers'),
                    $result->at('failures.0.kind'),
                    $result->at('failures.0.count'),
                ],
            );
            self::assertStringContainsString($named, $this->text($result->at('failures.0.message')));
            self::assertStringContainsString('Accept-Encoding', $this->text($result->at('failures.0.message')));
        }

        self::assertNotSame(
            Headroom::result($asked)->at('failures.0.message'),
            Headroom::result($unasked)->at('failures.0.message'),
        );
        // Of a page of which only the beginning is wanted a bomb is no fault.
        self::assertSame(
            $named === '16,777,216' ? 'nothing_to_capture' : 'body_not_decoded',
            Headroom::result($this->capture($coding, $body, []))->at('failures.0.kind'),
        );
    }

    #[Test]
    public function a_compressed_answer_without_a_check_succeeds(): void
    {
        $server = AnswerServer::start([RandomAnswer::of(self::answer('br', 'any'))]);

        try {
            self::assertSame(0, Headroom::load("http://127.0.0.1:{$server->port}/0", '--requests=3')->getExitCode());
        } finally {
            $server->stop();
        }
    }

    /** @param array<string, string> $headers */
    private function capture(string $coding, string $body, array $headers): Process
    {
        return $this->against(
            [self::answer($coding, $body), self::answer('identity', 'ok')],
            fn (string $url): Process => Headroom::load(
                $url,
                '--json',
                '--requests=2',
                '--concurrency=1',
                '--scenario='.$this->directory->write('shop.json', json_encode(['steps' => [
                    [
                        'path' => '/0',
                        'headers' => (object) $headers,
                        'capture' => ['token' => ['regex' => 'name="_token" value="([^"]+)"']],
                    ],
                    ['path' => '/1?{{token}}'],
                ]], JSON_THROW_ON_ERROR)),
            ),
        );
    }

    private function check(string $coding, string $body, string $text, string ...$options): Process
    {
        return $this->against(
            [self::answer($coding, $body)],
            static fn (string $url): Process => Headroom::load(
                "{$url}/0",
                '--requests=2',
                '--json',
                "--expect-body={$text}",
                ...array_values($options),
            ),
        );
    }

    /**
     * @param list<string> $answers
     * @param callable(string): Process $run
     */
    private function against(array $answers, callable $run): Process
    {
        $server = AnswerServer::start(array_map(RandomAnswer::of(...), $answers));

        try {
            return $run("http://127.0.0.1:{$server->port}");
        } finally {
            $server->stop();
        }
    }

    /** Ends before the text that the check seeks, and behind the one that the capture takes. */
    private static function cut(): string
    {
        $page = '<input name="_token" value="secret">'.bin2hex(random_bytes(2_000)).'secret-token';
        $body = (string) gzencode($page);

        return substr($body, 0, strlen($body) - 200);
    }

    private static function answer(string $coding, string $body): string
    {
        return "HTTP/1.1 200 OK\r\nContent-Encoding: {$coding}\r\nContent-Length: ".strlen($body)."\r\n\r\n{$body}";
    }

    private function text(mixed $value): string
    {
        self::assertIsString($value);

        return $value;
    }
}
