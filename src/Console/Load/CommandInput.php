<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\InvalidPlan;
use Symfony\Component\Console\Input\InputInterface;

/**
 * Reads arguments and options of the command line as typed values.
 *
 * @internal
 */
final readonly class CommandInput
{
    public function __construct(private InputInterface $input) {}

    /** @param array{string, string} ...$pairs options that exclude each other */
    public function refuseBoth(array ...$pairs): void
    {
        foreach ($pairs as [$option, $other]) {
            if ($this->has($option) && $this->has($other)) {
                throw InvalidPlan::notTogether($option, $other);
            }
        }
    }

    public function has(string $option): bool
    {
        return ! in_array($this->input->getOption($option), [null, []], true);
    }

    public function is(string $option): bool
    {
        return $this->input->getOption($option) === true;
    }

    public function url(): string
    {
        $url = $this->input->getArgument('url');

        return is_string($url) ? $url : '';
    }

    /** @return list<string> */
    public function texts(string $option): array
    {
        $texts = $this->input->getOption($option);

        return is_array($texts) ? array_values(array_filter($texts, is_string(...))) : [];
    }

    public function whole(string $option): int
    {
        $text = $this->text($option) ?? '';

        return preg_match('/\A-?\d{1,18}\z/', $text) === 1
            ? (int) $text
            : throw InvalidPlan::option($option, $text, 'a whole number');
    }

    public function seconds(string $option): float
    {
        return DurationParser::seconds($option, $this->text($option) ?? '');
    }

    /** Seconds. A number without a unit is milliseconds. */
    public function pause(): float
    {
        return DurationParser::seconds(
            'pause',
            $this->text('pause') ?? '',
            'ms',
            "a time such as '500ms', '2s' or a number of milliseconds",
        );
    }

    /** Requests per second, from any unit. */
    public function rate(): float
    {
        $text = $this->text('rate') ?? '';
        $per = ['' => 1, '/s' => 1, '/m' => 60, '/h' => 3_600];

        return preg_match('~\A(\d{1,12}(?:\.\d{1,9})?)(/[smh])?\z~', $text, $m) === 1
            ? (float) $m[1] / $per[$m[2] ?? '']
            : throw InvalidPlan::option(
                'rate',
                $text,
                "requests per second such as 100 or '0.5', or with a unit such as '600/m'",
            );
    }

    public function text(string $option): ?string
    {
        $value = $this->input->getOption($option);

        return is_scalar($value) ? (string) $value : null;
    }
}
