<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Sapi;

use Headroom\Collector\Request;
use Headroom\Collector\Response;
use Headroom\Collector\Sapi\SapiRequest;
use Headroom\Http\MessageLimits;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SapiRequestTest extends TestCase
{
    private bool $wasRead = false;

    /** @return iterable<string, array{array<string, string>, string, string}> variables, path, query */
    public static function targets(): iterable
    {
        yield 'handed over by the web server' => [
            ['REQUEST_URI' => '/v1/events', 'SCRIPT_NAME' => '/ingest.php'], '/v1/events', '',
        ];
        yield 'below the script' => [
            ['REQUEST_URI' => '/ingest.php/v1/events?a=1', 'SCRIPT_NAME' => '/ingest.php'], '/v1/events', 'a=1',
        ];
        yield 'below the script without its suffix' => [
            ['REQUEST_URI' => '/ingest/v1/events', 'SCRIPT_NAME' => '/ingest.php'], '/v1/events', '',
        ];
        yield 'the script itself' => [['REQUEST_URI' => '/ingest.php', 'SCRIPT_NAME' => '/ingest.php'], '/', ''];
        yield 'in a directory' => [
            ['REQUEST_URI' => '/shop/v1/events', 'SCRIPT_NAME' => '/shop/ingest.php'], '/v1/events', '',
        ];
        yield 'below the script in a directory' => [
            ['REQUEST_URI' => '/shop/ingest.php/v1/events', 'SCRIPT_NAME' => '/shop/ingest.php'], '/v1/events', '',
        ];
        yield 'a web server that makes the path the script' => [
            ['REQUEST_URI' => '/v1/events', 'SCRIPT_NAME' => '/v1/events'], '/v1/events', '',
        ];
        yield 'another script of a longer name' => [
            ['REQUEST_URI' => '/ingest.phpx/v1/events', 'SCRIPT_NAME' => '/ingest.php'], '/ingest.phpx/v1/events', '',
        ];
        yield 'encoded, as it was sent' => [
            ['REQUEST_URI' => '/v1/%65vents?x=%20+&y', 'SCRIPT_NAME' => '/ingest.php'], '/v1/%65vents', 'x=%20+&y',
        ];
        yield 'a second question mark' => [
            ['REQUEST_URI' => '/v1/p.gif?u=/?a=b', 'SCRIPT_NAME' => '/ingest.php'], '/v1/p.gif', 'u=/?a=b',
        ];
        yield 'absolute form' => [
            ['REQUEST_URI' => 'HTTP://example.com:8080/v1/events?a', 'SCRIPT_NAME' => '/ingest.php'], '/v1/events',
            'a',
        ];
        yield 'the asterisk' => [
            ['REQUEST_URI' => '*', 'SCRIPT_NAME' => '/ingest.php', 'REQUEST_METHOD' => 'OPTIONS'], '*', '',
        ];
        yield 'none' => [['SCRIPT_NAME' => '/ingest.php'], '', ''];
    }

    /** @param array<string, string> $server */
    #[Test]
    #[DataProvider('targets')]
    public function the_target_is_as_it_was_sent(array $server, string $path, string $query): void
    {
        $request = $this->request($server);

        self::assertInstanceOf(Request::class, $request);
        self::assertSame([$path, $query], [$request->path, $request->query]);
    }

    /** @return iterable<string, array{array<string, string>, array<string, string>}> */
    public static function headers(): iterable
    {
        yield 'names' => [
            ['HTTP_X_WRITE_KEY' => 'k', 'HTTP_CE_ID' => '1', 'SERVER_NAME' => 'x', 'HTTPS' => 'on'],
            ['x-write-key' => 'k', 'ce-id' => '1'],
        ];
        yield 'of the body' => [
            ['CONTENT_TYPE' => 'application/json', 'CONTENT_LENGTH' => '2'],
            ['content-type' => 'application/json', 'content-length' => '2'],
        ];
        yield 'empty ones of FastCGI are not there' => [
            ['CONTENT_TYPE' => '', 'CONTENT_LENGTH' => '', 'HTTP_PROXY' => ''],
            [],
        ];
        yield 'Authorization' => [
            ['HTTP_AUTHORIZATION' => 'Bearer a', 'REDIRECT_HTTP_AUTHORIZATION' => 'Bearer b'],
            ['authorization' => 'Bearer a'],
        ];
        yield 'Authorization after a rewrite' => [
            ['REDIRECT_HTTP_AUTHORIZATION' => 'Bearer b', 'PHP_AUTH_USER' => 'u'],
            ['authorization' => 'Bearer b'],
        ];
        yield 'Authorization that PHP took apart' => [
            ['PHP_AUTH_USER' => 'key', 'PHP_AUTH_PW' => 'p'],
            ['authorization' => 'Basic '.base64_encode('key:p')],
        ];
        yield 'a user alone' => [['PHP_AUTH_USER' => 'key'], ['authorization' => 'Basic '.base64_encode('key:')]];
        yield 'no user' => [['PHP_AUTH_USER' => ''], []];
    }

    /**
     * @param array<string, string> $server
     * @param array<string, string> $expected
     */
    #[Test]
    #[DataProvider('headers')]
    public function headers_come_from_what_web_servers_make_of_them(array $server, array $expected): void
    {
        $request = $this->request($server, '{}');

        self::assertInstanceOf(Request::class, $request);
        self::assertSame($expected, $request->headers);
    }

    /**
     * @return iterable<string, array{array<string, string>, string, int, string}> variables, body, status or 0,
     *     code or body
     */
    public static function bodies(): iterable
    {
        yield 'whole' => [['CONTENT_LENGTH' => '4'], 'abcd', 0, 'abcd'];
        yield 'at the limit' => [['CONTENT_LENGTH' => '10'], str_repeat('x', 10), 0, str_repeat('x', 10)];
        yield 'none' => [[], 'not asked for', 0, ''];
        yield 'of length 0' => [['CONTENT_LENGTH' => '0'], 'not asked for', 0, ''];
        yield 'said to be too large' => [['CONTENT_LENGTH' => '11'], str_repeat('x', 11), 413, 'body_too_large'];
        yield 'of a length that no integer holds' => [
            ['CONTENT_LENGTH' => '9999999999999999999999'], '', 413, 'body_too_large',
        ];
        yield 'of a length that is none' => [['CONTENT_LENGTH' => '-1'], '', 400, 'bad_content_length'];
        yield 'in chunks' => [['HTTP_TRANSFER_ENCODING' => 'chunked'], 'abc', 0, 'abc'];
        yield 'in chunks, too large' => [
            ['HTTP_TRANSFER_ENCODING' => 'chunked'], str_repeat('x', 11), 413, 'body_too_large',
        ];
        yield 'in chunks that were not handed over' => [
            ['HTTP_TRANSFER_ENCODING' => 'chunked'], '', 411, 'length_required',
        ];
        yield 'half of it' => [['CONTENT_LENGTH' => '8'], "{}\n", 400, 'incomplete_body'];
        yield 'nothing of it' => [['CONTENT_LENGTH' => '8'], '', 400, 'incomplete_body'];
        yield 'a form that PHP took apart' => [
            ['CONTENT_LENGTH' => '8', 'CONTENT_TYPE' => 'Multipart/form-data; boundary=x'], '', 0, '',
        ];
    }

    /** @param array<string, string> $server */
    #[Test]
    #[DataProvider('bodies')]
    public function a_body_is_whole_and_within_the_limit_or_refused(
        array $server,
        string $body,
        int $status,
        string $expected,
    ): void {
        $request = $this->request($server, $body);

        if ($request instanceof Response) {
            self::assertSame($status, $request->status, $request->body);
            self::assertStringContainsString('"code":"'.$expected.'"', $request->body);
        } else {
            self::assertSame([0, $expected], [$status, $request->body]);
        }
    }

    #[Test]
    public function a_body_declared_too_large_is_not_read(): void
    {
        $this->request(['CONTENT_LENGTH' => '11'], 'x');
        self::assertFalse($this->wasRead);
        $this->request(['CONTENT_LENGTH' => '1'], 'x');
        self::assertTrue($this->wasRead);
    }

    #[Test]
    public function a_body_above_the_limit_of_php_is_too_large(): void
    {
        $sapi = new SapiRequest(
            ['CONTENT_LENGTH' => '9'],
            static fn (): string => '',
            new MessageLimits(bodyBytes: 10),
            8,
        );
        $answer = $sapi->request('ingest.php');

        self::assertInstanceOf(Response::class, $answer);
        self::assertSame(413, $answer->status);
        self::assertStringContainsString('8 bytes', $answer->body);
    }

    /** @param array<string, string> $server */
    private function request(array $server, string $body = ''): Request|Response
    {
        $read = function () use ($body): string {
            $this->wasRead = true;

            return $body;
        };

        return (new SapiRequest(
            $server + ['REQUEST_METHOD' => 'POST', 'REMOTE_ADDR' => '192.0.2.1'],
            $read,
            new MessageLimits(bodyBytes: 10),
        ))->request('ingest.php');
    }
}
