<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Delivery\LedgerReader;

/**
 * Reads the whole log of a bucket and compares it with what was counted.
 *
 * @internal
 */
interface BucketVerifier
{
    /**
     * @param Findings $findings receives each finding at once
     *
     * @throws HeadroomException this user cannot read the state or the directory
     */
    public function verify(string $bucket, LedgerReader $ledger, Findings $findings): Verification;

    /** Returns how many bytes verify() will read, for a progress bar. */
    public function bytes(string $bucket): int;
}
