<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Http;

use Headroom\Http\MessageLimits;
use Headroom\Tests\Format\Python;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * The independent reader, http_reader.py, which says of the same bytes what they are.
 */
final readonly class SecondReader
{
    /**
     * Skips the test where there is no python3; fails it where CI=true.
     *
     * @param list<array<string, mixed>> $cases with the stream under "bytes"
     * @return list<mixed>
     */
    public static function read(array $cases, MessageLimits $limits): array
    {
        $input = '';

        foreach ($cases as $case) {
            Assert::assertIsString($case['bytes']);
            $case = [
                'bytes' => base64_encode($case['bytes']),
                'limits' => [$limits->startLineBytes, $limits->headerBytes, $limits->headers, $limits->bodyBytes],
            ]
                + $case;
            $input .= json_encode($case, JSON_THROW_ON_ERROR)."\n";
        }

        $output = (new Process(Python::command(__DIR__.'/http_reader.py'), input: $input, timeout: 600))->mustRun()
            ->getOutput();

        return array_map(
            static fn (string $line): mixed => json_decode($line, true, flags: JSON_THROW_ON_ERROR),
            explode("\n", rtrim($output, "\n")),
        );
    }
}
