<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use CurlHandle;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\Response;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Our client makes of answers, whole and broken ones, what libcurl makes of them.
 */
#[RequiresPhpExtension('curl')]
final class LibcurlTest extends TestCase
{
    public const FAILED = 'failed';

    private const SEED = 20_261_123;

    private const VALID = 500;

    private const MUTATED = 1_500;

    private const TIMEOUT = 10.0;

    #[Test, Group('day-3')]
    public function an_answer_is_read_as_libcurl_reads_it(): void
    {
        $random = new Randomizer(new Mt19937(self::SEED));
        $answers = [];

        for ($number = 0; $number < self::VALID; $number++) {
            $answers[] = RandomAnswer::valid($random);
        }

        for ($number = 0; $number < self::MUTATED; $number++) {
            do {
                $answer = RandomAnswer::valid($random)->mutated($random);
                // libcurl 7.88 writes beyond its memory when a value goes on in the next line.
            } while (preg_match('/\n[ \t]/', $answer->bytes) === 1);

            $answers[] = $answer;
        }

        $server = AnswerServer::start($answers);

        try {
            $ours = $this->ours($server->port, $answers);
            $theirs = $this->theirs($server->port, $answers);
        } finally {
            $server->stop();
        }

        $differences = [];

        foreach ($answers as $number => $answer) {
            if ($ours[$number] !== $theirs[$number] && ($answer->isValid || LibcurlDifference::of($answer) === null)) {
                $differences[] = "{$ours[$number]} to us and {$theirs[$number]} to libcurl: {$answer->method} "
                    .addcslashes($answer->bytes, "\0..\37\177..\377");
            }
        }

        self::assertSame([], $differences);
        self::assertGreaterThan(self::VALID, count($ours) - count(array_keys($ours, self::FAILED, true)));
        self::assertContains(self::FAILED, $ours);
    }

    /**
     * @param list<RandomAnswer> $answers
     * @return array<int, string>
     */
    private function ours(int $port, array $answers): array
    {
        $source = new class($port, $answers) implements Observer, RequestSource
        {
            /** @var array<int, string> */
            public array $seen = [];

            /** @param list<RandomAnswer> $answers */
            public function __construct(private readonly int $port, private readonly array $answers) {}

            public function next(int $number): ?Request
            {
                $method = $this->answers[$number]->method ?? '';

                return $method === '' ? null : new Request("http://127.0.0.1:{$this->port}/{$number}", $method);
            }

            public function finished(int $number, Request $request, Response $response): void
            {
                $this->seen[$number] = $response->failure === null
                    ? "{$response->status} {$response->bytes} ".md5($response->body)
                    : LibcurlTest::FAILED;
            }
        };

        (new LoadGenerator)->run(
            Plan::everything(concurrency: 10, timeout: self::TIMEOUT, keepBytes: 100_000),
            $source,
            $source,
        );

        return $source->seen;
    }

    /**
     * @param list<RandomAnswer> $answers
     * @return list<string>
     */
    private function theirs(int $port, array $answers): array
    {
        $curl = curl_init();
        curl_setopt_array($curl, [CURLOPT_TIMEOUT_MS => (int) (self::TIMEOUT * 1_000), CURLOPT_PROXY => '']);
        $seen = [];

        foreach ($answers as $number => $answer) {
            $body = '';
            curl_setopt($curl, CURLOPT_URL, "http://127.0.0.1:{$port}/{$number}");
            curl_setopt($curl, CURLOPT_NOBODY, $answer->method === 'HEAD');
            // It does not send again what went out in the moment in which a connection was closed.
            curl_setopt($curl, CURLOPT_FORBID_REUSE, $answer->closes);
            curl_setopt($curl, CURLOPT_CUSTOMREQUEST, $answer->method);
            curl_setopt($curl, CURLOPT_WRITEFUNCTION, static function (
                CurlHandle $curl,
                string $piece,
            ) use (&$body): int {
                $body .= $piece;

                return strlen($piece);
            });
            $isWhole = curl_exec($curl) === true;
            $seen[] = $isWhole
                ? curl_getinfo($curl, CURLINFO_RESPONSE_CODE).' '.strlen($body).' '.md5($body)
                : self::FAILED;
        }

        return $seen;
    }
}
