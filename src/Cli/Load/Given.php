<?php

declare(strict_types=1);

namespace Headroom\Cli\Load;

use Headroom\Load\InvalidPlan;
use Symfony\Component\Console\Input\InputInterface;

/**
 * What stands on the command line, as the types that are wanted.
 *
 * @internal
 */
final readonly class Given
{
    public function __construct(private InputInterface $input) {}

    /** @param array{string, string} ...$pairs options of which one makes the other pointless */
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

        return preg_match('/\A-?\d{1,18}\z/', $text) === 1 ? (int) $text : throw InvalidPlan::option($option, $text, 'a whole number');
    }

    public function number(string $option, string $allowed = "a number of seconds such as 8 or '0.5'"): float
    {
        $text = $this->text($option) ?? '';

        return preg_match('/\A-?\d{1,12}(\.\d{1,9})?\z/', $text) === 1 ? (float) $text : throw InvalidPlan::option($option, $text, $allowed);
    }

    public function text(string $option): ?string
    {
        $value = $this->input->getOption($option);

        return is_scalar($value) ? (string) $value : null;
    }
}
