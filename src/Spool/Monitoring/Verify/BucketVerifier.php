<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Delivery\LedgerReader;

/**
 * @internal
 */
interface BucketVerifier
{
    /**
     * @param Findings $findings gets everything as it is found
     *
     * @throws HeadroomException state or directory are out of this user's sight
     */
    public function verify(string $bucket, LedgerReader $ledger, Findings $findings): Verification;

    /** How many bytes verify() will read, for whoever wants to show how far it is. */
    public function bytes(string $bucket): int;
}
