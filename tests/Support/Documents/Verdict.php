<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

/**
 * What a test found out about one code block.
 */
final readonly class Verdict
{
    private function __construct(public Proof $proof, public string $fault) {}

    public static function ran(): self
    {
        return new self(Proof::Ran, '');
    }

    public static function checked(): self
    {
        return new self(Proof::Checked, '');
    }

    public static function onlyRead(): self
    {
        return new self(Proof::Read, '');
    }

    public static function fault(string $fault): self
    {
        return new self(Proof::Read, $fault);
    }

    /** @param list<string> $faults */
    public static function from(array $faults): self
    {
        return $faults === [] ? self::checked() : self::fault(implode("\n", $faults));
    }
}
