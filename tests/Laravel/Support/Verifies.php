<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Console\Spool\VerifyCommand;
use Headroom\Tests\Support\Snapshot;

/**
 * The findings of spool:verify in the bucket api-events of a test's $spool.
 */
trait Verifies
{
    /**
     * @param ?string $case of the snapshot; none where the words are held by another one
     * @param array<string, list<int|string>> $findings as of found(), each with numbers and
     *     names that are in its message
     * @param array<string, mixed> $input
     */
    private function assertFound(?string $case, array $findings, array $input = []): void
    {
        $verified = $this->verify($input);
        $found = $this->found($input);
        self::assertSame(array_keys($findings), array_keys($found), $verified->all());
        self::assertSame(preg_grep('/^wrong /', array_keys($found)) === [] ? 0 : 1, $verified->exit);

        foreach ($findings as $finding => $named) {
            foreach ($named as $name) {
                self::assertMatchesRegularExpression(
                    '/(?<!\w)'.preg_quote((string) $name, '/').'(?!\w)/',
                    $found[$finding],
                );
            }
        }

        if ($case !== null) {
            Snapshot::assertPrinted('spool:verify', $case, $verified->out);
        }
    }

    /**
     * @param array<string, mixed> $input
     * @return array<string, string> the message of each finding of api-events by what it is, such as `wrong ledger`
     */
    private function found(array $input = []): array
    {
        $found = [];

        foreach ((array) $this->json($input)['findings'] as $finding) {
            self::assertIsArray($finding);
            self::assertIsString($finding['subject']);
            self::assertIsString($finding['message']);
            $found[($finding['fatal'] === true ? 'wrong ' : 'note ')
                .str_replace('api-events: ', '', $finding['subject'])][] = $finding['message'];
        }

        return array_map(static fn (array $messages): string => implode("\n", $messages), $found);
    }

    /** @param array<string, mixed> $input */
    private function verify(array $input = []): Outcome
    {
        return $this->spool->run(VerifyCommand::class, $input);
    }

    /**
     * @param array<string, mixed> $input
     * @return array<mixed>
     */
    private function json(array $input = []): array
    {
        $document = json_decode($this->verify([...$input, '--json' => true])->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);

        return $document;
    }

    /** @return array<mixed> */
    private function numbers(): array
    {
        $buckets = $this->json()['buckets'];
        self::assertIsArray($buckets);

        return (array) $buckets[0];
    }
}
